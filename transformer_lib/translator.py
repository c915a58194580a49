"""Text in, text out: a trained model together with its tokenizers and vocabularies."""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

import torch
from torch import Tensor

from transformer_lib.checkpoints import load_model, save_model, transformer
from transformer_lib.checks import whole
from transformer_lib.confidence import ConfidenceThresholds
from transformer_lib.decoding import (
    Hypothesis,
    beam_search,
    greedy_decode,
    inference_mode,
    optimize_for_decoding,
    sample_decode,
)
from transformer_lib.files import CheckpointError, write_file
from transformer_lib.ids import BOS, EOS, SPECIALS
from transformer_lib.interpret.recording import record_attention
from transformer_lib.model.interface import TranslationModel
from transformer_lib.text.batching import BATCH, Ids, make_batch, similar_lengths, source_batch
from transformer_lib.text.data import DATA
from transformer_lib.text.languages import AnyLanguage, read_languages, write_languages
from transformer_lib.text.user_input import InputError, UserInput, several, without_controls
from transformer_lib.training.devices import get_device
from transformer_lib.training.threads import to_translate

# The translators that come with the library, by name: one that learned the sentences of a grammar,
# in words, and one that learned what people wrote, in subwords.
MODELS = {"grammar": DATA / "models" / "en-es", "tatoeba": DATA / "models" / "tatoeba-en-es"}
SHIPPED_MODEL = MODELS["grammar"]  # the one that learned from the grammar
Decoded = TypeVar("Decoded")


@dataclass(frozen=True)
class Translation:
    """One translation: its text, the model's tokens, and the log-probability of all, in nats.

    others: with n_best > 1, the next best translations of the same text. doubt: why it can't be
    right, whatever its log-probability, such as other numbers; or "". `print` shows the text.
    """

    text: str
    tokens: list[str]
    log_prob: float
    others: tuple["Translation", ...] = ()
    doubt: str = ""

    def __str__(self) -> str:
        return self.text

    @property
    def mean_log_prob(self) -> float:
        """Per token, <eos> included, in nats: how sure the model was, whatever the length."""
        return self.log_prob / (len(self.tokens) + 1)


@dataclass(frozen=True)
class AttentionMaps:
    """The attention weights of a model that translated one sentence.

    src: the source tokens with <eos>. tgt_in: what the decoder read, from <bos>; tgt_out: what it
    wrote at the same positions, to <eos>. weights: for each attention layer (h, query, key). The
    queries of cross_attn are the positions of tgt_in and tgt_out, its keys those of src.
    """

    src: list[str]
    tgt_in: list[str]
    tgt_out: list[str]
    weights: dict[str, Tensor]

    def last_cross_attention(self) -> Tensor:
        """(t, s): the weights of the last cross-attention layer, the mean of all heads."""
        last = [name for name in self.weights if name.endswith("cross_attn")][-1]
        return self.weights[last].mean(dim=0)


def model_folder(name: str | Path) -> Path:
    """The folder of one of MODELS, or else of this name (your own called grammar is ./grammar)."""
    return MODELS[name] if isinstance(name, str) and name in MODELS else Path(name)


class Translator:
    """A model with its two languages; CheckpointError if their vocabularies don't fit the model.

    translator = Translator.load()
    translator.translate("I like trees").text  # "Me gustan los árboles"
    """

    def __init__(self, model: TranslationModel, src: AnyLanguage, tgt: AnyLanguage):
        sizes = (model.src_embed.table.num_embeddings, model.tgt_embed.table.num_embeddings)
        if sizes != (len(src.vocab), len(tgt.vocab)):
            raise CheckpointError(
                f"the model was made for vocabularies of {sizes[0]} and {sizes[1]} words, "
                f"not {len(src.vocab)} and {len(tgt.vocab)}"
            )
        self.model, self.src, self.tgt = model, src, tgt
        self.confidence: ConfidenceThresholds | None = None  # as measured on held-out sentences
        self.notice = ""  # what whoever passes the model on has to say: whose sentences it learned

    def __repr__(self) -> str:
        """Which model, how large, where it computes, and what it reads and writes."""
        parameters = sum(parameter.numel() for parameter in self.model.parameters())
        model = f"{type(self.model).__name__} of {parameters:,} parameters"
        return f"Translator({model} on {self.device}, from {self.src} to {self.tgt})"

    @classmethod
    def load(
        cls,
        folder: str | Path = SHIPPED_MODEL,
        *,
        device: str = "cpu",
        build: Callable[..., Any] = transformer,
    ) -> "Translator":
        """The translator saved in `folder`, or one of MODELS by name; else CheckpointError.

        device: see `to`. build: see `load_model`.
        """
        folder = model_folder(folder)
        if not folder.is_dir():
            raise CheckpointError(
                f"there is no trained model in {folder}: the folder is missing "
                f"({' and '.join(MODELS)} come with the library)"
            )
        src, tgt = read_languages(folder)
        translator = cls(load_model(folder, build), src, tgt).to(device)
        translator.confidence = ConfidenceThresholds.load(folder)
        if (notice := folder / "notice.txt").exists():
            translator.notice = notice.read_text(encoding="utf-8")
        return translator

    def to(self, device: str | torch.device) -> "Translator":
        """Move the model to a device, such as "cuda", "cuda:1", "mps" or "auto", the fastest.

        -> this translator, as `nn.Module.to` gives the module. Results come back to the CPU.
        ValueError for a device that isn't there.
        """
        self.model.to(get_device(device))
        return self

    def save(
        self,
        folder: Path,
        dtype: torch.dtype | None = None,
        *,
        build: Callable[..., Any] = transformer,
    ) -> None:
        """Write all that `load` needs into a folder. dtype, build, errors: see `save_model`."""
        save_model(folder, self.model, dtype, build=build)
        write_languages(folder, self.src, self.tgt)
        if self.confidence:
            self.confidence.save(folder)
        if self.notice:
            write_file(Path(folder) / "notice.txt", self.notice.encode())

    def optimize_for_decoding(self, *, int8: bool = False, bf16: bool = False) -> "Translator":
        """The same translator with a faster copy of its model: see `decoding`."""
        quick = copy.copy(self)
        quick.model = optimize_for_decoding(self.model, int8=int8, bf16=bf16)
        return quick

    @property
    def device(self) -> torch.device:
        """Where the model computes."""
        return self.model.tgt_embed.table.weight.device

    @property
    def words(self) -> list[str]:
        """The words that it can read, in alphabetical order; InputError if it reads any word."""
        return self.src.words

    def read(self, text: str) -> list[str]:
        """The source tokens of what somebody typed; InputError for what it can't read.

        A model with words ignores punctuation at the end that the sentence doesn't need.
        """
        return self.src.tokens(self.src.preprocess(text))

    @overload
    def translate(  # type: ignore[overload-overlap]  # a text is an iterable of texts as well
        self,
        text: str,
        *,
        beam: int = 1,
        n_best: int = 1,
        sample: Mapping[str, Any] | None = None,
    ) -> Translation: ...

    @overload
    def translate(
        self,
        text: Iterable[str],
        *,
        beam: int = 1,
        n_best: int = 1,
        sample: Mapping[str, Any] | None = None,
        return_errors: Literal[False] = False,
    ) -> list[Translation]: ...

    @overload
    def translate(
        self,
        text: Iterable[str],
        *,
        beam: int = 1,
        n_best: int = 1,
        sample: Mapping[str, Any] | None = None,
        return_errors: Literal[True],
    ) -> list[Translation | InputError]: ...

    def translate(
        self,
        text: str | Iterable[str],
        *,
        beam: int = 1,
        n_best: int = 1,
        sample: Mapping[str, Any] | None = None,
        return_errors: bool = False,
    ) -> Any:
        """The translation of a text, or a list with the translation of each text in a list.

        beam=1 is greedy decoding. With n_best > 1 a translation has n_best - 1 `others`, from the
        best to the worst. sample: arguments for `sample_decode`, such as {"temperature": 0.7,
        "top_k": 5}; then the translation and its others are drawn at random, in no order.

        A full stop or an exclamation mark at the end is set aside and put back. Raises InputError,
        before anything is translated, for a text that isn't one sentence of known words, of at
        most 64; a model with subwords reads any words and all punctuation, in texts of at most 255
        subwords. return_errors=True: in a list, the InputError takes the place of a translation.

        Texts of similar length are computed together. That changes log_prob by rounding (1e-5), and
        no word, unless two words are as close as that. With `sample`, sentences are translated one
        by one, so a seed gives the same translations for a list as for its texts.
        """
        if not isinstance(text, Iterable) or isinstance(text, str):
            return self._translate([self._read(text)], beam, n_best, sample)[0]
        texts = list(several(text, "texts"))
        found: list[Any] = []
        for number, one in enumerate(texts, start=1):
            try:
                found.append(self._read(one))
            except InputError as error:
                if not return_errors:
                    raise InputError(f"text {number} of {len(texts)}: {error}") from None
                found.append(error)
        readable = [one for one in found if not isinstance(one, InputError)]
        translations = iter(self._translate(readable, beam, n_best, sample))
        return [one if isinstance(one, InputError) else next(translations) for one in found]

    def _read(self, text: str) -> tuple[UserInput, list[int]]:
        """What was typed, and its ids for the model; InputError for what it can't read."""
        typed = self.src.preprocess(text)
        return typed, self.src.vocab.encode(self.src.tokens(typed))

    def _translate(
        self,
        read: Sequence[tuple[UserInput, Ids]],
        beam: int,
        n_best: int,
        sample: Mapping[str, Any] | None,
    ) -> list[Translation]:
        """The translations of texts that were read."""
        whole("beam", beam)
        whole("n_best", n_best)
        sources = [ids for _, ids in read]
        how: dict[str, Any] = {"max_length": self.tgt.longest, **(sample or {})}
        if sample is None:
            search = partial(beam_search, self.model, beam_size=beam, n_best=n_best, **how)
            hypotheses = self.in_batches(sources, search, batch=max(1, BATCH // beam))
        else:
            hypotheses = []
            for ids in sources:
                src = self.batch([ids] * n_best)
                with to_translate(len(src)):
                    hypotheses.append(sample_decode(self.model, src, **how))
        found = []
        for (typed, _), found_here in zip(read, hypotheses, strict=True):
            best, *others = (self.translation(one, typed) for one in found_here)
            found.append(replace(best, others=tuple(others)))
        return found

    def in_batches(
        self,
        sources: Sequence[Ids],
        decode: Callable[[Tensor], Sequence[Decoded]],
        *,
        batch: int = BATCH,
    ) -> list[Decoded]:
        """What `decode` makes of each source; those of similar lengths share its batch (b, s).

        A batch has at most `batch` sentences, and no more tokens than if they had 64 each: what it
        takes of the memory grows with its tokens.
        """
        found: dict[int, Decoded] = {}
        for chosen in similar_lengths([len(ids) + 1 for ids in sources], batch):
            src = self.batch([sources[i] for i in chosen])
            with to_translate(len(sources)):
                found.update(zip(chosen, decode(src), strict=True))
        return [found[i] for i in range(len(sources))]

    def batch(self, sources: Sequence[Ids]) -> Tensor:
        """Source sentences as one batch of ids (b, s), on the model's device."""
        return source_batch(sources).to(self.device)

    def translation(self, hypothesis: Hypothesis, typed: UserInput) -> Translation:
        """A hypothesis as text, with what was set aside of the user's input."""
        text = without_controls(self.tgt.postprocess(hypothesis.ids, typed))
        return Translation(
            text,
            self.tgt.vocab.decode(hypothesis.ids),
            hypothesis.log_prob,
            doubt=self.tgt.doubt(hypothesis.ids, typed),
        )

    def warning(self, translation: Translation) -> str:
        """Why the translation is in doubt, or that the model was less sure than usual; else ""."""
        found = self.confidence.warning(translation.mean_log_prob) if self.confidence else ""
        return found if found.startswith("guessing") else translation.doubt or found

    def say(self, text: str) -> None:
        """Print the translation of a sentence and any warning, or why it can't be translated.

        For trying out sentences in a notebook: one line, and never a traceback.
        """
        try:
            translation = self.translate(text)
        except InputError as error:
            print(f"I can't read that: {error}.")
            return
        warning = self.warning(translation)
        print(translation.text + (f"   ({warning})" if warning else ""))

    def attention_maps(self, text: str, translation: Sequence[str] | None = None) -> AttentionMaps:
        """The attention weights while the model writes `translation` (None: its own greedy one)."""
        tokens = self.read(text)
        ids = self.src.vocab.encode(tokens)
        src = self.batch([ids])
        with to_translate(len(src)):
            if translation is None:
                written = greedy_decode(self.model, src, max_length=self.tgt.longest)[0]
            else:
                written = self.tgt.vocab.encode(translation)
            batch = make_batch([(ids, written)]).to(self.device)
            with inference_mode(self.model), record_attention(self.model) as weights:
                self.model(batch.src, batch.tgt_in)
        words = self.tgt.display_tokens(self.tgt.vocab.decode(written))
        return AttentionMaps(
            src=[*self.src.display_tokens(tokens), SPECIALS[EOS]],
            tgt_in=[SPECIALS[BOS], *words],
            tgt_out=[*words, SPECIALS[EOS]],
            weights={name: w[0].clone().cpu() for name, w in weights.items()},
        )
