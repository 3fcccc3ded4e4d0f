"""What all endpoints share: tokens, problem details, pages and the types of what is sent."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, JsonResponse
from django.utils import timezone
from ninja import NinjaAPI, Schema
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation
from ninja.security import HttpBearer
from pydantic import AfterValidator, ConfigDict, Field

from feeds.errors import ImportFileError
from reader.errors import FolderExists, ReaderError
from rssmanager.api import access
from rssmanager.authentication.errors import TooManyTries
from rssmanager.authentication.models import AppPassword, Scope

MAX_PAGE, PAGE = 200, 50  # rows
MAX_IDS = 1000  # articles in one call
_MAX_ID = 2**63 - 1

Id = Annotated[int, Field(ge=1, le=_MAX_ID)]
Text = Annotated[str, AfterValidator(lambda text: text.replace("\0", "").encode(errors="replace").decode())]  # storable
Limit = Annotated[int, Field(ge=1, le=MAX_PAGE, description="Rows of a page.")]
Cursor = Annotated[str, Field(max_length=200, description="`next` of the page before.")]

FolderName = Annotated[Text, Field(max_length=200)]

_Row = TypeVar("_Row")


class Request(HttpRequest):
    """A request with a token; `user` is its owner."""

    auth: AppPassword
    user: User


class Body(Schema):
    """What a client sends. Unknown names are refused, as they are in queries: a typing error must not be ignored."""

    model_config = ConfigDict(extra="forbid")


class Page(Schema, Generic[_Row]):
    """Rows, and the cursor of the next page: null on the last one."""

    items: list[_Row]
    next: str | None = None


class Fault(Schema):
    """What is wrong with one value, such as `body.ids.0`."""

    at: str
    detail: str


class Problem(Schema):
    """An error as RFC 9457 has it."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    errors: list[Fault] | None = None


class Refused(Exception):
    """The request can't be done; its message is for the client's developer."""

    def __init__(self, detail: str, status: int = 422, *, retry_after: int = 0) -> None:
        super().__init__(detail)
        self.status = status
        self.retry_after = retry_after  # seconds


class Read(HttpBearer):
    """Any app password, as a bearer token. Cookies are ignored, so no CSRF token is needed."""

    openapi_description: ClassVar[str] = "Any app password."
    scope: ClassVar[Scope | None] = None

    def authenticate(self, request: HttpRequest, token: str) -> AppPassword | None:
        """The app password of the token, None for a wrong one. Raises Refused without the scope, and TooManyTries."""
        found = access.bearer_of(request, token, now=timezone.now())
        if found is None:
            return None
        if self.scope and self.scope not in found.may:
            raise Refused(f"This app password lacks the scope “{self.scope}”.", 403)
        request.user = found.user
        return found


class Write(Read):
    """An app password that may mark, star, tag and highlight."""

    openapi_description: ClassVar[str] = "An app password with the scope `write`."
    scope = Scope.WRITE


class Feeds(Read):
    """An app password that may follow and unfollow."""

    openapi_description: ClassVar[str] = "An app password with the scope `feeds`."
    scope = Scope.FEEDS


class Rules(Read):
    """An app password that may see and change rules, and change interests and saved searches."""

    openapi_description: ClassVar[str] = "An app password with the scope `rules`."
    scope = Scope.RULES


READ, WRITE, FEEDS, RULES = Read(), Write(), Feeds(), Rules()


class Api(NinjaAPI):
    """django-ninja with problem details, and a document whose texts are docstrings."""

    def get_openapi_operation_id(self, operation: Operation) -> str:
        return operation.view_func.__name__

    def document(self, server: str) -> dict[str, Any]:
        """The OpenAPI document, with summaries and problems."""
        schema: dict[str, Any] = dict(OpenAPISchema(self, ""))
        schema["servers"] = [{"url": server}]
        schema["components"]["schemas"] |= {"Fault": Fault.model_json_schema(), "Problem": _problem_schema()}
        schema["paths"] = {path.replace("{pk}", "{id}"): each for path, each in schema["paths"].items()}
        for operations in schema["paths"].values():
            for operation in operations.values():
                summary, _, rest = " ".join(operation.pop("description", "").split()).partition(". ")
                operation |= {"summary": summary.rstrip("."), "description": rest}
                for parameter in operation["parameters"]:
                    parameter["name"] = {"pk": "id"}.get(parameter["name"], parameter["name"])
                operation["responses"]["4XX"] = {
                    "description": "A problem",
                    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
                }
        return schema


def _problem_schema() -> dict[str, Any]:
    schema = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schema.pop("$defs")
    return schema


def problem(
    status: int, detail: str, *, errors: list[dict[str, str]] | None = None, headers: dict[str, str] | None = None
) -> JsonResponse:
    """An error as RFC 9457 has it."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    if errors:
        body["errors"] = errors
    return JsonResponse(body, status=status, content_type="application/problem+json", headers=headers)


def add_problems(api: Api) -> None:
    """Have every expected error answered as a problem."""

    @api.exception_handler(AuthenticationError)
    def unauthorized(request: HttpRequest, error: AuthenticationError) -> JsonResponse:
        detail = "Send an app password as “Authorization: Bearer …”."
        return problem(401, detail, headers={"WWW-Authenticate": "Bearer"})

    @api.exception_handler(Refused)
    def refused(request: HttpRequest, error: Refused) -> JsonResponse:
        headers = {"WWW-Authenticate": 'Bearer error="insufficient_scope"'} if error.status == 403 else {}
        if error.retry_after:
            headers["Retry-After"] = str(error.retry_after)
        return problem(error.status, str(error), headers=headers)

    @api.exception_handler(TooManyTries)
    def too_many(request: HttpRequest, error: TooManyTries) -> JsonResponse:
        seconds = error.seconds(timezone.now())
        detail = f"Too many wrong app passwords. Try again in {seconds} seconds."
        return problem(429, detail, headers={"Retry-After": str(seconds)})

    @api.exception_handler(Http404)
    def missing(request: HttpRequest, error: Http404) -> JsonResponse:
        return problem(404, "There is no such thing, or it isn't yours.")

    @api.exception_handler(ImportFileError)
    @api.exception_handler(ReaderError)
    def refused_by_reader(request: HttpRequest, error: ReaderError | ImportFileError) -> JsonResponse:
        return problem(409 if isinstance(error, FolderExists) else 422, str(error))

    @api.exception_handler(HttpError)
    def unreadable(request: HttpRequest, error: HttpError) -> JsonResponse:
        return problem(error.status_code, "The body isn't JSON.")

    @api.exception_handler(ValidationError)
    def invalid(request: HttpRequest, error: ValidationError) -> JsonResponse:
        unknown = [fault["loc"][-1] for fault in error.errors if fault["type"] == "extra_forbidden"]
        if unknown:
            return problem(400, f"There is no field “{'”, “'.join(map(str, unknown))}” here.")
        errors = [{"at": _place(fault["loc"]), "detail": fault["msg"]} for fault in error.errors]
        return problem(422, "Some values are invalid.", errors=errors)


def _place(loc: Sequence[str | int]) -> str:
    """The place of a value, such as `body.ids.0`, without the name that our function has for the body."""
    part, *names = ("id" if name == "pk" else str(name) for name in loc)
    return ".".join([part, *(names[1:] if part == "body" else names)])
