"""Show a figure in a notebook, by its name or as it is."""

from typing import Any

from course.drawing.registry import find, with_title


def show(figure: Any, alt: str = "", *, name: str = "", place: Any = None) -> None:
    """Display a figure in a notebook.

        show("positions-clocks")            # a figure of the series, by its name
        show(drawn, name="attention-trees") # the same figure, drawn from your own data
        show(drawn, alt="Two curves cross at 3.")  # a figure of your own

    figure: a name, a matplotlib figure (or axes) or an Altair chart. Which file draws a name stands
        in notebooks/figures.md. alt: one or two sentences that
        say what the figure *shows*, for readers who can't see it; a figure of the series brings its
        own, and its title.
    place: what `display` gave back for an earlier output, which this one replaces.
    The output holds the picture and, as text, the alt text with a rounded summary of the data.
    Raises ValueError without an alt text or for an unknown name, TypeError for a figure of another
    kind.
    """
    # Not before something is drawn: these take longer to import than all else in the kit.
    from IPython.display import display
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from course.drawing.notebook_output import chart_bundle, figure_bundle, is_chart

    if isinstance(figure, str):
        name, figure = figure, find(figure).draw()
    elif name:
        figure = with_title(figure, find(name).title)
    if name:
        alt = find(name).alt
    if not alt.strip():
        raise ValueError('show needs an alt text: show(figure, alt="what the figure shows")')
    if isinstance(figure, Axes | Figure):
        bundle, metadata = figure_bundle(figure.figure, alt)
    elif is_chart(figure):
        bundle, metadata = chart_bundle(figure.properties(description=alt).to_dict())
    else:
        raise TypeError(
            "show takes a matplotlib figure or axes, or an Altair chart, "
            f"but this is a {type(figure).__name__}"
        )
    if name:
        metadata["figure"] = name  # so that a test can find the registered figure again
    if place is None:
        display(bundle, metadata=metadata, raw=True)
    else:
        place.update(bundle, metadata=metadata, raw=True)
