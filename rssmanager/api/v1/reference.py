"""The OpenAPI document as tables for a page. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Value:
    """A parameter, or a field of a body."""

    name: str
    type: str
    is_required: bool
    description: str


@dataclass(frozen=True, slots=True)
class Endpoint:
    method: str
    path: str
    summary: str
    description: str
    needs: str
    parameters: tuple[Value, ...]
    body: tuple[Value, ...]
    answer: tuple[Value, ...]


def reference(document: Mapping[str, Any]) -> dict[str, list[Endpoint]]:
    """The endpoints by tag."""
    schemas: Mapping[str, Any] = document["components"]["schemas"]
    security: Mapping[str, Any] = document["components"]["securitySchemes"]
    groups: dict[str, list[Endpoint]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            [scheme] = [name for one in operation["security"] for name in one]
            answers = [answer for status, answer in operation["responses"].items() if status != "4XX"]
            endpoint = Endpoint(
                method=method.upper(),
                path=path,
                summary=_plain(operation["summary"]),
                description=_plain(operation["description"]),
                needs=_plain(security[scheme]["description"]),
                parameters=tuple(_parameter(one, schemas) for one in operation["parameters"]),
                body=_fields(operation.get("requestBody", {}), schemas),
                answer=_fields(answers[0], schemas),
            )
            groups.setdefault(operation["tags"][0], []).append(endpoint)
    return groups


def _parameter(one: Mapping[str, Any], schemas: Mapping[str, Any]) -> Value:
    kind = _type(one["schema"], schemas).removesuffix(" or null")  # it is left out then
    return Value(one["name"], kind, one["required"], _plain(one.get("description", "")))


def _fields(holder: Mapping[str, Any], schemas: Mapping[str, Any]) -> tuple[Value, ...]:
    schema = holder.get("content", {}).get("application/json", {}).get("schema", {})
    schema = _resolved(schema, schemas)
    if "items" in schema.get("properties", {}) and "next" in schema["properties"]:  # a page: what its rows have
        schema = _resolved(schema["properties"]["items"]["items"], schemas)
    required = schema.get("required", ())
    return tuple(
        Value(name, _type(one, schemas), name in required, _plain(one.get("description", "")))
        for name, one in schema.get("properties", {}).items()
    )


def _plain(text: str) -> str:
    """Markdown without the marks of code."""
    return text.replace("`", "")


def _resolved(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Mapping[str, Any]:
    return schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def _type(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    """The type in a few words: `list of integer`, `"read" or "unread"`, `integer or null`."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return _type(schemas[name], schemas) if "enum" in schemas[name] else name
    if "enum" in schema:
        return " or ".join(f"“{value}”" if isinstance(value, str) else str(value) for value in schema["enum"])
    if "const" in schema:
        return f"“{schema['const']}”"
    if "anyOf" in schema:
        return " or ".join(_type(one, schemas) for one in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'], schemas)}"
    return str(schema.get("format") or schema.get("type") or "anything")
