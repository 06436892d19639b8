"""One figure of all runs: how far jobs, their mean and the makespan are from the measured run."""

from html import escape

from judge import quantile

WIDTH, LEFT, RIGHT, ROW, PANEL = 820, 190, 20, 20, 44
LIMIT = 30  # percent, to both sides; what lies beyond is drawn at the edge


def errors(path, panels):
    """panels: (title, policy -> verdict)."""
    lines, height = [], 30
    for title, verdicts in panels:
        if verdicts:
            lines += panel(title, verdicts, height)
            height += PANEL + ROW * len(verdicts)
    lines.append(text(10, height + 8, "bar: tenth to ninth decile of jobs; stroke: median job; "
                      "circle: mean completion time; diamond: makespan"))
    path.write_text("\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height + 24}" font-family="sans-serif" '
        'font-size="12">', '<rect width="100%" height="100%" fill="white"/>', *lines, "</svg>", ""]), encoding="utf-8")


def panel(title, verdicts, top):
    bottom = top + 12 + ROW * len(verdicts)
    lines = [text(10, top, f"{title}: error in %", weight="bold")]
    for percent in range(-LIMIT, LIMIT + 1, 10):
        colour = "#888" if percent == 0 else "#ddd"
        lines.append(f'<line x1="{x(percent)}" y1="{top + 6}" x2="{x(percent)}" y2="{bottom}" stroke="{colour}"/>')
        lines.append(text(x(percent), bottom + 13, f"{percent:+d}" if percent else "0", anchor="middle"))
    for number, (policy, verdict) in enumerate(verdicts.items()):
        lines += row(policy, verdict, top + 18 + ROW * number)
    return lines


def row(policy, verdict, y):
    low, median, high = (x(quantile(verdict.errors, share)) for share in (0.1, 0.5, 0.9))
    mean, makespan = x(verdict.mean), x(verdict.makespan)
    return [
        text(LEFT - 12, y + 4, policy, anchor="end"),
        f'<rect x="{low}" y="{y - 5}" width="{max(high - low, 1):.1f}" height="10" fill="#9ecae1"/>',
        f'<line x1="{median}" y1="{y - 7}" x2="{median}" y2="{y + 7}" stroke="#08519c" stroke-width="2"/>',
        f'<circle cx="{mean}" cy="{y}" r="4" fill="#d94801"/>',
        f'<path d="M{makespan} {y - 5} l5 5 l-5 5 l-5 -5 z" fill="#006d2c"/>']


def x(percent):
    inside = max(-LIMIT, min(LIMIT, percent))
    return round(LEFT + (inside + LIMIT) / (2 * LIMIT) * (WIDTH - LEFT - RIGHT), 1)


def text(left, y, words, anchor="start", weight="normal"):
    return f'<text x="{left}" y="{y}" text-anchor="{anchor}" font-weight="{weight}">{escape(words)}</text>'
