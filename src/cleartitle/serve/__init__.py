"""An index as a service: an HTTP API with its OpenAPI document, and a page to paste code into (extra ``serve``)."""

from cleartitle.serve.options import ServeOptions
from cleartitle.serve.schema import document
from cleartitle.serve.server import serve

__all__ = ["ServeOptions", "document", "serve"]
