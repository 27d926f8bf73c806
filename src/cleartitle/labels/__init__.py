"""Human judgement: a blind labeling page, sample sizes, and agreement between raters."""
