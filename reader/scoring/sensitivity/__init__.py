"""The built-in classifier of time sensitivity: in-process, no network, about 0.3 ms per article. Pure."""

from reader.scoring.sensitivity.classifier import SHIPPED, Prediction, classify
from reader.scoring.sensitivity.weights import ClassifierWeights, InvalidWeights

__all__ = ["SHIPPED", "ClassifierWeights", "InvalidWeights", "Prediction", "classify"]
