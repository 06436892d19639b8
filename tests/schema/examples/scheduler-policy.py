class Mine:
    pass
