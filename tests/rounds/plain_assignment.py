"""The assignment problem by shortest augmenting paths, computed plainly.

Source: D. F. Crouse, On implementing 2D rectangular assignment algorithms, IEEE TAES 52(4), 2016, with the scan order
of scipy.optimize.linear_sum_assignment, which decides between assignments of one cost: free columns are scanned from
the last to the first, a scanned column's place is taken by the last one of the list, and among columns of one distance
the first unassigned one after an assigned one wins.
"""


def assign(costs):
    """Column of each row, at least total cost. costs: rows of floats, at least as many columns as rows."""
    columns = len(costs[0]) if costs else 0
    row_price, column_price = [0.0] * len(costs), [0.0] * columns
    row_of, column_of = [None] * columns, [None] * len(costs)
    for row in range(len(costs)):
        distance, came_from, seen_rows, seen_columns, end, least = search(
            costs, row, row_price, column_price, row_of)
        row_price[row] += least
        for other in seen_rows:
            if other != row:
                row_price[other] += least - distance[column_of[other]]
        for column in seen_columns:
            column_price[column] -= least - distance[column]
        while True:  # the path back to the row that was added
            other = came_from[end]
            row_of[end] = other
            column_of[other], end = end, column_of[other]
            if other == row:
                break
    return column_of


def search(costs, row, row_price, column_price, row_of):
    """The cheapest path from a row to a column without a row."""
    columns = len(row_of)
    distance, came_from = [float("inf")] * columns, [None] * columns
    left = list(range(columns - 1, -1, -1))
    seen_rows, seen_columns = [], []
    least = 0.0
    while True:
        seen_rows.append(row)
        best, lowest = None, float("inf")
        price, cost = row_price[row], costs[row]
        for place, column in enumerate(left):
            through = least + cost[column] - price - column_price[column]
            if through < distance[column]:
                distance[column], came_from[column] = through, row
            if distance[column] < lowest or (distance[column] == lowest and row_of[column] is None):
                best, lowest = place, distance[column]
        least = lowest
        column = left[best]
        seen_columns.append(column)
        left[best] = left[-1]
        left.pop()
        if row_of[column] is None:
            return distance, came_from, seen_rows, seen_columns, column, least
        row = row_of[column]
