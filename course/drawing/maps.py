"""What stands beside a map: its color scale, and the name of its vertical axis.

color_scale(image, ax, "cosine")
level_name(ax, "to write")           # above the axis, never turned
"""

from typing import Any

from matplotlib.axes import Axes

from course.drawing import style


def color_scale(image: Any, axes: Any, name: str, **look: Any) -> None:
    """Add a color scale at the right of one or several axes, its name above it.

    look: options of matplotlib's `colorbar`.
    """
    scale = image.figure.colorbar(
        image, ax=axes, **{"shrink": 0.6, "aspect": 18, "pad": 0.02, **look}
    )
    scale.outline.set_visible(False)
    low, high = image.get_clim()
    scale.set_ticks([low, (low + high) / 2, high])
    scale.ax.tick_params(length=0)
    scale.ax.set_title(name, loc="left", fontsize=style.NOTE, weight="normal")


def level_name(ax: Axes, text: str) -> None:
    """Name the vertical axis, in the background; `style.finish` writes it above the axis."""
    ax.set_ylabel(text, fontsize=style.NOTE, color=style.MUTED)
