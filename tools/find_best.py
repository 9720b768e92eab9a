"""Repeat the search for the parameters of `prowess papers best`: tune all candidates on the training spans.

    python tools/find_best.py DATA [trials] [data set …]

The script prints the content of papers/src/prowess_papers/best/found.toml. Meanwhile, it prints the loss of each
candidate on the training span to standard error. With 150 trials, the search takes about 20 minutes.
"""

import sys

from prowess_papers.best import SETS, search

SEED = 0


def main():
    folder = sys.argv[1]
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else 150
    names = sys.argv[3:] or [name for name, one in SETS.items() if one.candidates]
    print("# Made by tools/find_best.py: the candidate with the lowest loss on the training span, and its parameters.")
    for name in names:
        found = search(name, folder, trials=trials, seed=SEED)
        for label, tuning in found.tunings.items():
            print(f"{name}: {label}: {tuning.loss[1]:.4f}", file=sys.stderr, flush=True)
        print(f'\n[{name}]\ncandidate = "{found.candidate}"\ntrials = {trials}\nseed = {SEED}')
        print(f"loss = {found.tuning.loss[1]:.4f}\n\n[{name}.values]")
        for parameter, value in found.values.items():
            print(f"{parameter} = {value!r}", flush=True)


if __name__ == "__main__":
    main()
