"""A BERT of random parameters with a small vocabulary, saved by transformers, to test the loader with."""

import json
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "walk", "##ing", "##ed", ".", ",", "on"]
SIZES = {
    "vocab_size": 20,
    "hidden_size": 12,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 20,
    "max_position_embeddings": 16,
    "type_vocab_size": 2,
}


def save_tiny(folder: Path, *, model_class: type = BertModel, **changed: object) -> Path:
    """A folder with config.json, model.safetensors and tokenizer.json."""
    torch.manual_seed(3)
    model = model_class(BertConfig(**(SIZES | {"initializer_range": 0.4} | changed)))
    with torch.no_grad():
        for parameter in model.parameters():  # transformers starts biases at 0 and scales at 1: nothing may hide there
            parameter.add_(0.1 * torch.randn_like(parameter))
    model.save_pretrained(folder, safe_serialization=True)
    tokenizer().save(str(folder / "tokenizer.json"))
    return folder


def tokenizer() -> Tokenizer:
    """BERT's tokenizer with the vocabulary above."""
    wordpiece = Tokenizer(models.WordPiece({piece: index for index, piece in enumerate(PIECES)}, unk_token="[UNK]"))
    wordpiece.normalizer = normalizers.BertNormalizer(lowercase=True)
    wordpiece.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    wordpiece.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", PIECES.index("[CLS]")), ("[SEP]", PIECES.index("[SEP]"))]
    )
    wordpiece.enable_padding(length=10)  # as in some files; it must have no effect
    wordpiece.enable_truncation(4)
    return wordpiece


def change_config(folder: Path, **changed: object) -> None:
    """Write other values into config.json; None takes a key out."""
    path = folder / "config.json"
    settings = json.loads(path.read_text()) | changed
    path.write_text(json.dumps({key: value for key, value in settings.items() if value is not None}))
