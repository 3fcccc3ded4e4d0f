"""Safe HTML from anybody's markup. (Another engineer is writing this module and its tests right now: leave it to them.)"""
