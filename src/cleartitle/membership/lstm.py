"""The LSTM of CodeMI (section 5.1): one layer over words, as wide as its embedding."""

import math
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from cleartitle.errors import InputError, require
from cleartitle.files import read_json, write_json
from cleartitle.membership.words import WordTokenizer

__all__ = ["load_lstm", "new_lstm"]

SAMPLED = 512
"""Words drawn beside those of a batch for the sum over the vocabulary in training. Scores use the whole vocabulary."""
CONFIG, WEIGHTS = "lstm.json", "model.safetensors"


def new_lstm(vocabulary: int, width: int, dropout: float) -> Any:
    """A torch module for `cleartitle.models.fit`, with logits of shape (batch, tokens, ``vocabulary``) in its result.

    ``dropout`` acts on the embedded words and on the output of the layer. The released code asks for 0.5 inside of a
    single-layer LSTM, where PyTorch has no place for it: that is ``dropout=0`` here.

    Raises:
        MissingExtraError: torch is not installed.
    """
    return _module()(vocabulary, width, dropout)


def load_lstm(folder: Path) -> tuple[Any, WordTokenizer]:
    """The model in ``folder``, ready to be asked, and its vocabulary.

    Raises:
        InputError: the folder holds no LSTM of ours.
    """
    if not (folder / CONFIG).is_file():
        raise InputError(f"{folder}: holds no {CONFIG}; mend: name the folder of a trained LSTM")
    model = new_lstm(**read_json(folder / CONFIG))
    model.load_state_dict(require("safetensors.torch", "train").load_file(folder / WEIGHTS))
    return model.eval(), WordTokenizer.load(folder)


@cache
def _module() -> type[Any]:
    torch = require("torch", "train")

    class Lstm(torch.nn.Module):
        def __init__(self, vocabulary: int, width: int, dropout: float) -> None:
            super().__init__()
            self.config = {"vocabulary": vocabulary, "width": width, "dropout": dropout}
            self.embedding = torch.nn.Embedding(vocabulary, width)
            self.layer = torch.nn.LSTM(width, width, batch_first=True)
            self.dropout = torch.nn.Dropout(dropout)
            self.head = torch.nn.Linear(width, vocabulary)

        @property
        def device(self) -> Any:
            return self.head.weight.device

        def forward(self, input_ids: Any, attention_mask: Any = None, labels: Any = None) -> SimpleNamespace:
            states = self.states(input_ids).last_hidden_state
            if labels is None:
                return SimpleNamespace(logits=self.head(states), loss=None)
            asked = labels[:, 1:] != -100
            return SimpleNamespace(logits=None, loss=self._loss(states[:, :-1][asked], labels[:, 1:][asked]))

        def states(self, input_ids: Any) -> SimpleNamespace:
            states, _ = self.layer(self.dropout(self.embedding(input_ids)))
            return SimpleNamespace(last_hidden_state=self.dropout(states))

        def _loss(self, states: Any, words: Any) -> Any:
            """Cross-entropy with the words of the batch and a sample of the others, which stands for all of them."""
            present, places = words.unique(return_inverse=True)
            drawn = torch.randint(len(self.head.weight), (SAMPLED,), device=words.device)
            drawn = drawn[~torch.isin(drawn, present)]
            chosen = torch.cat([present, drawn])
            logits = torch.nn.functional.linear(states, self.head.weight[chosen], self.head.bias[chosen])
            if len(drawn):
                stands_for = (len(self.head.weight) - len(present)) / len(drawn)
                weight = torch.zeros(len(chosen), device=words.device)
                weight[len(present) :] = math.log(max(stands_for, 1e-9))
                logits = logits + weight
            return torch.nn.functional.cross_entropy(logits, places)

        def save_pretrained(self, folder: Path) -> None:
            Path(folder).mkdir(parents=True, exist_ok=True)
            write_json(Path(folder) / CONFIG, self.config)
            weights = {name: value.contiguous() for name, value in self.state_dict().items()}
            require("safetensors.torch", "train").save_file(weights, Path(folder) / WEIGHTS)

    return Lstm
