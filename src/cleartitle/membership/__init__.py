"""Was this code in the training set of a model?"""
