"""Among the places that hold a content, the one where it likely came from."""

from typing import Any

from cleartitle.licenses import UnknownLicenseError, obligations

__all__ = ["license_facts", "match_at"]


def match_at(places: list[dict[str, Any]]) -> tuple[dict[str, Any], int]:
    """The likely origin among the places of one content, and the number of the others.

    Not vendored before vendored, then the earliest known date, then the most reused, then by name.
    """

    def order(place: dict[str, Any]) -> tuple[Any, ...]:
        date = place["date"]
        return (
            place["is_vendored"],
            date is None,
            date.isoformat() if date is not None else "",
            -(place["reuse_count"] or 0),
            place["project"],
            place["version"] or "",
            place["path"],
        )

    return min(places, key=order), len(places) - 1


def license_facts(place: dict[str, Any]) -> dict[str, Any]:
    """The fields of a match that come from its place."""
    try:
        owed = obligations(place["license"]) if place["license"] else ()
    except UnknownLicenseError:
        owed = ()
    date = place["date"]
    return {
        **{name: place[name] for name in ("project", "version", "path", "url", "revision", "license")},
        **{name: place[name] for name in ("license_class", "trust", "conflict", "is_vendored")},
        "permalink": permalink(place),
        "date": date.isoformat() if date is not None else None,
        "obligations": owed,
        "copyright_lines": tuple(place["copyright_lines"] or ()),
    }


def permalink(place: dict[str, Any]) -> str | None:
    """An address that keeps naming this very file, where the source gives one."""
    url, revision = place["url"], place["revision"]
    if not url:
        return None
    base = url.removesuffix(".git").rstrip("/")
    if revision and base.startswith(("https://github.com/", "https://gitlab.com/")):
        return f"{base}/blob/{revision}/{place['path']}"
    return url
