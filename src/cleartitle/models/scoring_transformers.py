"""Token scores of models in the format of Hugging Face transformers."""

from pathlib import Path
from typing import Any

import numpy as np

from cleartitle.errors import InputError, require
from cleartitle.models.cores import cores
from cleartitle.models.scoring_options import ScorerOptions
from cleartitle.models.scoring_text import joined_spans
from cleartitle.models.scoring_torch import Tokenize, TorchScorer
from cleartitle.models.transformers import context_of, load_folder

__all__ = ["folder_tokenizer", "transformers_scorer"]

PROBE = "def add(first, second):\n    return first + second\n"


def transformers_scorer(
    source: str,
    options: ScorerOptions = ScorerOptions(),  # noqa: B008 - frozen
    *,
    threads: int = 0,
) -> TorchScorer:
    """Open a folder (or ``embedded``) of a causal language model in 32 bits, on a GPU where there is one.

    Where the model is a backbone and a linear head, which is tried with a short text, the logits are made a chunk at a
    time and those of a whole batch are never in memory.

    Raises:
        MissingExtraError: torch or transformers is not installed.
        InputError: not a causal model, or its tokenizer gives no character offsets.
    """
    torch: Any = require("torch", "train")
    torch.set_num_threads(threads or cores())
    _, tokenizer, model, encoder_decoder = load_folder(source)
    if encoder_decoder:
        raise InputError(f"hf:{source}: an encoder-decoder has no next token of a text; mend: a causal model")
    tokenize, prefix = folder_tokenizer(tokenizer, f"hf:{source}", options)
    model.to("cuda" if torch.cuda.is_available() else "cpu").eval()
    scorer = TorchScorer(
        model,
        tokenize,
        name=Path(source).name,
        context=context_of(model.config) or None,
        prefix=prefix,
        vocabulary=int(model.get_output_embeddings().weight.shape[0]),
        options=options,
    )
    head = _head(torch, model, tokenize(PROBE)[0])
    if head is not None:
        scorer.split(getattr(model, model.base_model_prefix), head)
    return scorer


def folder_tokenizer(tokenizer: Any, source: str, options: ScorerOptions) -> tuple[Tokenize, int | None]:
    """How a tokenizer of transformers cuts a text, without tokens of its own, and the id of the prefix token.

    A token of a part of a character covers the whole character; white space that the tokenizer leaves out of its
    offsets belongs to the token after it. ``prefix="yes"`` takes the token of the beginning, or else that of the end,
    as language-model evaluation commonly does.

    Raises:
        InputError: the tokenizer gives no offsets, or has no token to put first although that is asked for.
    """
    if not tokenizer.is_fast:
        raise InputError(f"{source}: its tokenizer gives no character offsets; mend: a folder with tokenizer.json")
    own = tokenizer("a")["input_ids"]
    bare = tokenizer("a", add_special_tokens=False)["input_ids"]
    prefix = int(own[0]) if len(own) > len(bare) and own[0] == tokenizer.bos_token_id else None
    if options.prefix == "no":
        prefix = None
    elif options.prefix == "yes" and prefix is None:
        prefix = next((i for i in (tokenizer.bos_token_id, tokenizer.eos_token_id) if i is not None), None)
        if prefix is None:
            raise InputError(f"{source}: has no token to put first; mend: prefix auto or no")

    def tokenize(text: str) -> tuple[Any, Any, Any]:
        found = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        offsets = np.asarray(found["offset_mapping"], dtype=np.int32).reshape(-1, 2)
        return (found["input_ids"], *joined_spans(offsets[:, 0], offsets[:, 1]))

    return tokenize, prefix


def _head(torch: Any, model: Any, ids: Any) -> Any:
    """The output layer if it makes the model's logits from the hidden states of its backbone, else None."""
    head = model.get_output_embeddings()
    backbone = getattr(model, model.base_model_prefix, None)
    if head is None or backbone is None or backbone is model or not len(ids):
        return None
    with torch.inference_mode():
        tokens = torch.tensor([list(ids)], device=model.device)
        whole = model(tokens).logits
        hidden = getattr(backbone(tokens), "last_hidden_state", None)
        if hidden is None:
            return None
        parts = head(hidden)
        same = parts.shape == whole.shape and torch.allclose(parts, whole, rtol=1e-5, atol=1e-5)
    return head if same else None
