"""Folders, tags and saved searches."""

from typing import Annotated, Any

from django.contrib.auth.models import User
from ninja import Router, Schema, Status
from pydantic import Field

from reader import access
from reader.articles.tags import rename_tag
from reader.lists.queries import unread_in_folder
from reader.models import Folder, SavedSearch, Tag
from reader.search.saved import change_search, save_search
from reader.subscriptions.folders import delete_folder, rename_folder
from reader.subscriptions.make_folders import folder_named
from rssmanager.api.v1.base import FEEDS, READ, RULES, WRITE, Body, FolderName, Id, Page, Refused, Request, Text

router = Router()


class FolderOut(Schema):
    id: int
    name: str
    n_unread: int = Field(description="Up to 1,000, every story once.")


class Name(Body):
    name: FolderName


class TagOut(Schema):
    id: int
    name: str


class Search(Schema):
    id: int
    name: str
    query: str


class NewSearch(Body):
    name: Annotated[Text, Field(min_length=1, max_length=100)]
    query: Annotated[Text, Field(min_length=1, max_length=500)]


@router.get("/folders", auth=READ, response=Page[FolderOut], tags=["Folders"])
def list_folders(request: Request) -> dict[str, Any]:
    """All folders, by name."""
    return {"items": Folder.objects.filter(user=request.user).annotate(n_unread=unread_in_folder())}


@router.post("/folders", auth=FEEDS, response={201: FolderOut}, tags=["Folders"])
def create_folder(request: Request, sent: Name) -> Status[Any]:
    """Create a folder; one of that name stays as it is."""
    folder = folder_named(request.user, " ".join(sent.name.split()))
    if folder is None:
        raise Refused("A folder needs a name.")
    return Status(201, _folder(request.user, folder.pk))


@router.patch("/folders/{int:pk}", auth=FEEDS, response=FolderOut, tags=["Folders"])
def change_folder(request: Request, pk: Id, sent: Name) -> Any:
    """Rename a folder."""
    rename_folder(access.folder_of(request.user, pk), sent.name)
    return _folder(request.user, pk)


@router.delete("/folders/{int:pk}", auth=FEEDS, response={204: None}, tags=["Folders"])
def remove_folder(request: Request, pk: Id) -> Status[None]:
    """Delete a folder and the rules about it. Its feeds stay."""
    delete_folder(access.folder_of(request.user, pk))
    return Status(204, None)


@router.get("/tags", auth=READ, response=Page[TagOut], tags=["Tags"])
def list_tags(request: Request) -> dict[str, Any]:
    """All tags, by name. Tagging an article creates them."""
    return {"items": Tag.objects.filter(user=request.user)}


@router.patch("/tags/{int:pk}", auth=WRITE, response=TagOut, tags=["Tags"])
def change_tag(request: Request, pk: Id, sent: Name) -> Any:
    """Rename a tag."""
    tag = access.tag_of(request.user, pk)
    rename_tag(tag, sent.name)
    return tag


@router.delete("/tags/{int:pk}", auth=WRITE, response={204: None}, tags=["Tags"])
def delete_tag(request: Request, pk: Id) -> Status[None]:
    """Delete a tag. Its articles stay."""
    access.tag_of(request.user, pk).delete()
    return Status(204, None)


@router.get("/searches", auth=READ, response=Page[Search], tags=["Saved searches"])
def list_searches(request: Request) -> dict[str, Any]:
    """Your saved searches, by name. `GET /articles?search=…` has what one finds."""
    return {"items": SavedSearch.objects.filter(user=request.user)}


@router.post("/searches", auth=RULES, response={201: Search}, tags=["Saved searches"])
def create_search(request: Request, sent: NewSearch) -> Status[Any]:
    """Save a search."""
    return Status(201, save_search(request.user, **sent.model_dump()))


@router.put("/searches/{int:pk}", auth=RULES, response=Search, tags=["Saved searches"])
def update_search(request: Request, pk: Id, sent: NewSearch) -> Any:
    """Change a saved search."""
    return change_search(access.saved_search_of(request.user, pk), **sent.model_dump())


@router.delete("/searches/{int:pk}", auth=RULES, response={204: None}, tags=["Saved searches"])
def delete_search(request: Request, pk: Id) -> Status[None]:
    """Delete a saved search."""
    access.saved_search_of(request.user, pk).delete()
    return Status(204, None)


def _folder(user: User, pk: int) -> Folder:
    access.folder_of(user, pk)
    return Folder.objects.annotate(n_unread=unread_in_folder()).get(user=user, pk=pk)
