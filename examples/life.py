"""Conway's game of life, on a torus.

python examples/life.py --size 1000 --generations 200
"""

import argparse

import numpy as np


def neighbours(cells):
    """Count the living neighbours of each cell; the edges of the board meet."""
    rows = cells + np.roll(cells, 1, axis=0) + np.roll(cells, -1, axis=0)
    return rows + np.roll(rows, 1, axis=1) + np.roll(rows, -1, axis=1) - cells


def advance(cells):
    """Make the next generation in place: a cell lives on with two or three neighbours and is born with three."""
    count = neighbours(cells)
    cells[...] = (count == 3) | ((count == 2) & (cells == 1))


def show(cells):
    for row in cells:
        print("".join("#" if cell else "." for cell in row))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--size", type=int, default=1000, help="rows and columns (default: %(default)s)")
    parser.add_argument("--generations", type=int, default=200, help="(default: %(default)s)")
    parser.add_argument("--show", action="store_true", help="print the corner where the glider started")
    options = parser.parse_args()

    cells = np.zeros((options.size, options.size), dtype=np.int32)
    cells[1:4, 1:4] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]  # a glider: itself again, one cell down and right, each 4 steps
    middle = options.size // 2
    cells[middle, middle - 20 : middle + 20] = 1  # a line, which explodes
    alive = int(cells.sum())
    for _ in range(options.generations):
        advance(cells)
    print(f"{options.size} x {options.size} cells, {options.generations} generations")
    print(f"alive: {alive} at the start, {int(cells.sum())} at the end")
    if options.show:
        show(cells[:20, :40])


if __name__ == "__main__":
    main()
