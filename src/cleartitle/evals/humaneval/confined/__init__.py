"""Two small programs that run outside this package, in processes of their own, with the standard library alone.

``judge`` holds the tests and is trusted; ``player`` holds the program of a model and is not. They import each other by
relative names because they are started as a package of their own, without what is installed beside this one.
"""
