"""What a training step takes, against the length of the sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import matplotlib as mpl
from matplotlib.figure import Figure

from transformer_lib.plots import style
from transformer_lib.plots.since import LINES, doubling


@dataclass(frozen=True)
class Panel:
    """One quantity: its unit, a number for each length by name of the curve, where it doubles."""

    unit: str
    curves: Mapping[str, Sequence[float]]
    doubled: Mapping[str, float | None]


@mpl.rc_context(style.PRINT)
def step_lines(lengths: Sequence[int], panels: Mapping[str, Panel]) -> Figure:
    """Draw curves against the length of the sentences -> the figure, a panel for each title.

    Both axes double from line to line. A thin line leads from where a curve is twice its first
    number down to that length. Raises ValueError for a curve without a number for each length.
    """
    figure = style.new_figure(style.WIDTH, 4.6)
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for ax, (title, panel) in zip(axes, panels.items(), strict=True):
        doubling(ax, lengths)
        for (name, values), color, look, mark in zip(
            panel.curves.items(), style.CATEGORIES, LINES, "os^D", strict=False
        ):
            if len(values) != len(lengths):
                raise ValueError(f"{name!r} has {len(values)} numbers for {len(lengths)} lengths")
            ax.plot(lengths, values, look, marker=mark, color=color, linewidth=2.6, markersize=7,
                    label=name)  # fmt: skip
            at = panel.doubled[name]
            if at is not None:
                ax.plot([at, at], [0, 2 * values[0]], color=color, linewidth=1.4, linestyle=":")
                first = color == style.CATEGORIES[0]  # its number left of the line, others' right
                ax.annotate(f"{at:.0f}", (at, 2 * values[0]), xytext=(-8, 2) if first else (8, -16),
                            textcoords="offset points", ha="right" if first else "left",
                            weight="bold")  # fmt: skip
        ax.set_title(title, fontsize=style.FONT_SIZE)
        ax.set_ylabel(panel.unit)
        ax.yaxis.set_major_formatter(lambda y, _: f"{y:,.0f}")
    figure.supxlabel(f"dotted: twice as much as with {lengths[0]} words",
                     fontsize=style.FONT_SIZE - 1)  # fmt: skip
    handles, names = axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=len(names))
    return figure
