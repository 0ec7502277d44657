"""The Chinese teacher: bge-small-zh-v1.5 (MIT), dequantised from its int8 ONNX file.

A plain four-layer BERT in PyTorch, so that it can be tuned and run fast on a GPU.
"""

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

DIM, LAYERS, HEADS, INNER, LONGEST = 512, 4, 8, 2048, 512


class Bge(nn.Module):
    """CLS vector, normalised, of a batch of padded token ids."""

    def __init__(self):
        super().__init__()
        self.word = nn.Embedding(21128, DIM)
        self.position = nn.Embedding(LONGEST, DIM)
        self.kind = nn.Embedding(2, DIM)
        self.norm = nn.LayerNorm(DIM, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))

    def forward(self, ids, mask):
        x = self.word(ids) + self.position.weight[: ids.shape[1]] + self.kind.weight[0]
        x = self.norm(x)
        attend = mask[:, None, None, :]
        for layer in self.layers:
            x = layer(x, attend)
        return F.normalize(x[:, 0].float(), dim=-1)


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


def pack(onnx_path: Path, out: Path) -> None:
    """The ONNX initialisers under our own names, still int8 (small enough to carry)."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(onnx_path).graph
    w = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    # MatMul weights have export numbers for names; the nodes that use them say which layer they belong to.
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            name = node.input[1].removesuffix("_quantized")
            where = node.name.strip("/").rsplit("/", 1)[0].replace("/", ".")
            for part in ("quantized", "scale", "zero_point"):
                w[f"{where}.weight_{part}"] = w.pop(f"{name}_{part}")
    np.savez_compressed(out, **w)


def load(path: Path) -> Bge:
    z = np.load(path)
    weight = {}
    for name in z.files:
        if name.endswith("_quantized"):
            base = name.removesuffix("_quantized")
            whole = z[name].astype(np.float32) - z[base + "_zero_point"].astype(np.float32)
            weight[base] = whole * z[base + "_scale"]
        elif not name.endswith(("_scale", "_zero_point")):
            weight[name] = z[name]
    model, state = Bge(), {}
    for ours, theirs in (("word", "word_embeddings"), ("position", "position_embeddings"), ("kind", "token_type_embeddings")):
        state[f"{ours}.weight"] = weight[f"embeddings.{theirs}.weight"]
    for end in ("weight", "bias"):
        state[f"norm.{end}"] = weight[f"embeddings.LayerNorm.{end}"]
    linear = {
        "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
        "o": "attention.output.dense", "up": "intermediate.dense", "down": "output.dense",
    }
    for i in range(LAYERS):
        for ours, theirs in linear.items():
            # ONNX multiplies x·W, PyTorch x·Wᵀ.
            state[f"layers.{i}.{ours}.weight"] = weight[f"encoder.layer.{i}.{theirs}.weight"].T.copy()
            state[f"layers.{i}.{ours}.bias"] = weight[f"encoder.layer.{i}.{theirs}.bias"]
        for ours, theirs in (("norm1", "attention.output.LayerNorm"), ("norm2", "output.LayerNorm")):
            for end in ("weight", "bias"):
                state[f"layers.{i}.{ours}.{end}"] = weight[f"encoder.layer.{i}.{theirs}.{end}"]
    model.load_state_dict({k: torch.from_numpy(np.array(v)) for k, v in state.items()})
    return model


class Encoder:
    """Texts to teacher vectors, longest first so that padding is small."""

    def __init__(self, model: Bge, tokenizer_json: Path, device, longest=256):
        from tokenizers import Tokenizer

        self.model, self.device, self.longest = model.to(device), device, longest
        self.tokenizer = Tokenizer.from_file(str(tokenizer_json))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(longest)

    def tokens(self, texts):
        return [e.ids for e in self.tokenizer.encode_batch_fast(list(texts))]

    def batch(self, ids):
        width = max(len(i) for i in ids)
        out = np.zeros((len(ids), width), dtype=np.int64)
        for row, i in zip(out, ids):
            row[: len(i)] = i
        out = torch.from_numpy(out).to(self.device)
        return out, out != 0

    @torch.no_grad()
    def encode_ids(self, ids, budget=400_000):
        """Float32 on the device, in the given order."""
        self.model.eval()
        order = sorted(range(len(ids)), key=lambda i: -len(ids[i]))
        result = torch.empty(len(ids), DIM, device=self.device)
        at = 0
        while at < len(order):
            n = max(1, budget // max(1, len(ids[order[at]])))
            part = order[at : at + n]
            x, mask = self.batch([ids[i] for i in part])
            with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.device.type == "cuda"):
                vectors = self.model(x, mask)
            result[torch.tensor(part, device=self.device)] = vectors.float()
            at += n
        return result

    def encode(self, texts):
        return self.encode_ids(self.tokens(texts))


