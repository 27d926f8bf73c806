"""The C interface of llama.cpp inside of xllamacpp: what its Python interface leaves out, all logits of a given text.

The package's own interface answers like an HTTP server, which gives no log-probabilities of a prompt. Its shared
object exports the functions of ``llama.h`` as well. They are called here with no more knowledge of their structures
than is checked when the library is opened: the two structures of parameters are passed on as they come, but for four
fields, and only where the fields up to there have their documented defaults.
"""

import ctypes
import ctypes as c
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from cleartitle.errors import InputError, require

__all__ = ["LlamaContext", "LlamaWeights"]

_LESS_ONE, _LESS_ONE_FLOAT, _ANY = 0xFFFFFFFF, 0xBF800000, None
DEFAULTS = (
    (512, 2048, 512, 1, 0, 0, 1, _ANY, _ANY)
    + (0, _LESS_ONE, _LESS_ONE, _LESS_ONE, _LESS_ONE)
    + (0, 0, _LESS_ONE_FLOAT, _LESS_ONE_FLOAT, _LESS_ONE_FLOAT, _LESS_ONE_FLOAT, 0, _LESS_ONE_FLOAT)
)
"""The first 22 words of ``llama_context_default_params``: sizes and threads, kinds, rope. They tell the layout."""
CONTEXT, BATCH, MICRO_BATCH, FLASH_ATTENTION = 0, 1, 2, 13
"""Words that are set."""
MEND = "mend: hf:embedded (extra train) scores the same weights through PyTorch"


class _Params(c.Structure):
    """A structure of parameters, larger than any that llama.cpp has: what is behind its end is never read."""

    _fields_ = (("words", c.c_uint32 * 256),)


class _Batch(c.Structure):
    _fields_ = (
        ("n_tokens", c.c_int32),
        ("token", c.c_void_p),
        ("embd", c.c_void_p),
        ("pos", c.c_void_p),
        ("n_seq_id", c.c_void_p),
        ("seq_id", c.c_void_p),
        ("logits", c.c_void_p),
    )


_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "llama_backend_init": (None, ()),
    "llama_log_set": (None, (c.c_void_p, c.c_void_p)),
    "llama_model_default_params": (_Params, ()),
    "llama_context_default_params": (_Params, ()),
    "llama_model_load_from_file": (c.c_void_p, (c.c_char_p, _Params)),
    "llama_model_free": (None, (c.c_void_p,)),
    "llama_model_get_vocab": (c.c_void_p, (c.c_void_p,)),
    "llama_model_n_ctx_train": (c.c_int32, (c.c_void_p,)),
    "llama_model_has_encoder": (c.c_bool, (c.c_void_p,)),
    "llama_vocab_n_tokens": (c.c_int32, (c.c_void_p,)),
    "llama_vocab_bos": (c.c_int32, (c.c_void_p,)),
    "llama_vocab_eos": (c.c_int32, (c.c_void_p,)),
    "llama_vocab_get_add_bos": (c.c_bool, (c.c_void_p,)),
    "llama_tokenize": (
        c.c_int32,
        (c.c_void_p, c.c_char_p, c.c_int32, c.c_void_p, c.c_int32, c.c_bool, c.c_bool),
    ),
    "llama_token_to_piece": (
        c.c_int32,
        (c.c_void_p, c.c_int32, c.c_void_p, c.c_int32, c.c_int32, c.c_bool),
    ),
    "llama_init_from_model": (c.c_void_p, (c.c_void_p, _Params)),
    "llama_free": (None, (c.c_void_p,)),
    "llama_set_n_threads": (None, (c.c_void_p, c.c_int32, c.c_int32)),
    "llama_get_memory": (c.c_void_p, (c.c_void_p,)),
    "llama_memory_clear": (None, (c.c_void_p, c.c_bool)),
    "llama_decode": (c.c_int32, (c.c_void_p, _Batch)),
    "llama_get_logits": (c.c_void_p, (c.c_void_p,)),
}


class _Library:
    """The functions of `_SIGNATURES`."""

    def __init__(self) -> None:
        package: Any = require("xllamacpp", "local")
        paths = sorted(Path(package.__file__).parent.glob("xllamacpp*.so"))
        if not paths:
            raise InputError(f"xllamacpp: has no shared object that can be opened; {MEND}")
        library = c.CDLL(str(paths[0]))
        self.functions: dict[str, Callable[..., Any]] = {}
        for name, (result, arguments) in _SIGNATURES.items():
            try:
                function = getattr(library, name)
            except AttributeError:
                raise InputError(f"xllamacpp {package.__version__}: does not export {name}; {MEND}") from None
            function.restype, function.argtypes = result, arguments
            self.functions[name] = function
        words = self("llama_context_default_params").words[: len(DEFAULTS)]
        if any(known not in (_ANY, word) for known, word in zip(DEFAULTS, words, strict=True)):
            raise InputError(f"xllamacpp {package.__version__}: its parameters have another layout; {MEND}")
        # A function that ignores its arguments: llama.cpp then says nothing, even while the interpreter ends.
        self("llama_log_set", c.cast(c.pythonapi.Py_IsInitialized, c.c_void_p), None)
        self("llama_backend_init")

    def __call__(self, name: str, *arguments: Any) -> Any:
        return self.functions[name](*arguments)


class LlamaWeights:
    """A GGUF file in memory, shared by contexts."""

    def __init__(self, path: Path) -> None:
        """Load the weights.

        Raises:
            MissingExtraError: xllamacpp is not installed.
            InputError: this xllamacpp cannot be called so, or the file is not a model of text that it can load.
        """
        self._call = _Library()
        self._model = self._call(
            "llama_model_load_from_file", str(path).encode(), self._call("llama_model_default_params")
        )
        if not self._model:
            raise InputError(f"{path}: llama.cpp cannot load it; mend: a GGUF file of a language model")
        if self._call("llama_model_has_encoder", self._model):
            raise InputError(f"{path}: an encoder-decoder has no next token of a text; mend: a causal model")
        self._vocabulary = self._call("llama_model_get_vocab", self._model)
        self.vocabulary = int(self._call("llama_vocab_n_tokens", self._vocabulary))
        self.trained_context = int(self._call("llama_model_n_ctx_train", self._model))

    def first_token(self, wanted: bool | None) -> int | None:
        """Id of the token to put before a text: as the model says (None), always (or the end token), or never."""
        if wanted is None:
            wanted = bool(self._call("llama_vocab_get_add_bos", self._vocabulary))
        if not wanted:
            return None
        ids = (int(self._call(name, self._vocabulary)) for name in ("llama_vocab_bos", "llama_vocab_eos"))
        return next((token for token in ids if token >= 0), None)

    def tokenize(self, data: bytes) -> np.ndarray:
        """Ids of a text in UTF-8, int32, without tokens of the model's own."""
        size = len(data) + 8
        ids = np.zeros(size, dtype=np.int32)
        count = self._call("llama_tokenize", self._vocabulary, data, len(data), ids.ctypes.data, size, False, True)
        if count < 0:
            raise InputError(f"llama.cpp: cannot cut a text of {len(data)} bytes into tokens")
        return ids[:count].copy()

    def piece(self, token: int) -> bytes:
        """The bytes of a token."""
        for size in (64, 4096, 2**20):
            buffer = c.create_string_buffer(size)
            count = self._call("llama_token_to_piece", self._vocabulary, token, buffer, size, 0, True)
            if count >= 0:
                return buffer.raw[:count]
        raise InputError(f"llama.cpp: token {token} has no text")

    def context(self, size: int, batch: int) -> "LlamaContext":
        """Room for texts of ``size`` tokens that are read ``batch`` at a time, on one thread.

        Without flash attention, whose sums in 16 bits depend on how many tokens are read together: numbers of one text
        then differed by up to 0.4 nats with its length.
        """
        params = self._call("llama_context_default_params")
        params.words[CONTEXT], params.words[BATCH], params.words[MICRO_BATCH] = size, batch, batch
        params.words[FLASH_ATTENTION] = 0
        made = self._call("llama_init_from_model", self._model, params)
        if not made:
            raise InputError(f"llama.cpp: no memory for a context of {size} tokens; mend: a smaller context")
        self._call("llama_set_n_threads", made, 1, 1)
        return LlamaContext(self._call, made, batch, self.vocabulary)

    def free(self) -> None:
        """Free the weights; contexts must be freed before."""
        if self._model:
            self._call("llama_model_free", self._model)
        self._model = None


class LlamaContext:
    """One text at a time: tokens in, logits out."""

    def __init__(self, call: Callable[..., Any], made: int, batch: int, vocabulary: int) -> None:
        self._call, self._made, self._batch, self._vocabulary = call, made, batch, vocabulary

    def logits(self, ids: np.ndarray, wanted: np.ndarray, take: Callable[[np.ndarray, np.ndarray], None]) -> None:
        """Read ``ids`` from an empty memory and hand over the logits after the tokens ``wanted`` (ascending places).

        ``take`` gets float32 logits [n, vocabulary], valid and free for use during the call alone, and their places.
        Logits of all tokens are made: those of a few would be computed in another way and differ.
        """
        call = self._call
        call("llama_memory_clear", call("llama_get_memory", self._made), True)
        flags = np.ones(self._batch, dtype=np.int8)
        for start in range(0, int(wanted[-1]) + 1, self._batch):
            part = np.ascontiguousarray(ids[start : start + self._batch], dtype=np.int32)
            batch = _Batch(len(part), part.ctypes.data, None, None, None, None, flags.ctypes.data)
            status = call("llama_decode", self._made, batch)
            if status:
                raise InputError(
                    f"llama.cpp: could not read {len(ids)} tokens (status {status}); mend: a larger context"
                )
            places = wanted[(wanted >= start) & (wanted < start + len(part))]
            if len(places):
                pointer = ctypes.cast(call("llama_get_logits", self._made), c.POINTER(c.c_float))
                logits = np.ctypeslib.as_array(pointer, shape=(len(part), self._vocabulary))
                take(logits if len(places) == len(part) else logits[places - start], places)

    def free(self) -> None:
        """Free the context; calling it again does nothing."""
        if self._made:
            self._call("llama_free", self._made)
        self._made = 0
