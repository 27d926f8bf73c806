"""Words around a license name in Dutch, Polish, Turkish and Korean: the patterns that ``answer_words`` takes in."""

__all__ = ["CLAUSES", "DENIED_AFTER", "TONGUES"]

CLAUSES = r"maar|tylko|ale|lecz|ama|fakat|ancak"
"""Words that open a new clause after a denial."""

DENIED_AFTER = r"(?:\s+lisans\w{0,4})?\s+de[ğg]il|\s?(?:라이[선센]스)?(?:이|가|은|는)\s?아니"
"""A denial that stands behind the name."""

TONGUES: dict[str, tuple[str, ...]] = {
    "denial": (
        r"\bgeen\b|\bniet\b(?!\s+alleen)|\bin\s+plaats\s+van\b|\bnie\s+(?:jest|pod|na)\b|\bzamiast\b|\byerine\b",
    ),
    "reset": (r"\b(?:maar|tylko|lecz)\b",),
    "hedge": (
        r"\b(?:waarschijnlijk|vermoedelijk|misschien|mogelijk|wellicht|ik\s+(?:denk|geloof|vermoed)|lijkt\s+(?:op|het))\b",
        r"\b(?:prawdopodobnie|chyba|mo[żz]e|by[ćc]\s+mo[żz]e|przypuszczalnie|zapewne|wydaje\s+si[ęe]|my[śs]l[ęe]|s[ąa]dz[ęe])\b",
        r"\b(?:muhtemelen|galiba|belki|san[ıi]r[ıi]m|herhalde|olabilir|gibi\s+g[öo]r[üu]n[üu]yor)\b",
        r"아마|것\s?같|듯\s?합|듯하|추정|생각합니다|가능성이",
    ),
    "doubt": (
        r"\bniet\s+zeker\b|\bnie\s+(?:jestem\s+)?(?:pewien|pewna)\b|\bemin\s+de[ğg]il|확실(?:하|치|하지)\s?(?:는\s+)?않",
    ),
    "none": (
        r"\b(?:geen|zonder)\s+(?:\w+\s+){0,3}licentie|licentie\w*\s+(?:is\s+|wordt\s+)?niet\s+(?:vermeld|gespecificeerd|opgegeven)",
        r"\b(?:brak|bez|nie\s+ma|nie\s+(?:\w+\s+){0,2}[żz]adnej)\s+(?:\w+\s+){0,3}licencj|\bnie\s+(?:podano|okre[śs]lono|zawiera|posiada|wskazano)\s+(?:\w+\s+){0,3}licencj"
        r"|licencj\w+\s+nie\s+(?:zosta[łl]a\s+)?(?:podan|okre[śs]lon|wskazan)",
        r"lisans\w*\s+(?:\w+\s+){0,3}(?:belirtilme|yok|bulunma|i[çc]ermi|verilme)|\blisanss[ıi]z\b",
        r"(?:라이[선센]스|저작권)(?:(?!알\s?수)[^.\n]){0,24}?(?:없|않|포함하지|명시되어\s+있지)",
    ),
    "refusal": (
        r"\bkan\s+(?:ik\s+)?(?:\w+\s+){0,4}niet\s+(?:mee\s+)?(?:helpen|geven|beantwoorden|verstrekken)|\bniet\s+(?:\w+\s+){0,2}helpen",
        r"\bnie\s+(?:mog[ęe]|jestem\s+w\s+stanie)\s+(?:\w+\s+){0,3}(?:pom[óo]c|odpowiedzie|udzieli|poda[ćc])",
        r"\b(?:yard[ıi]mc[ıi]\s+olama|yard[ıi]m\s+edeme|cevap\s+vereme|sa[ğg]layama|yan[ıi]tlayama)",
        r"(?:도와드릴|도움을\s+드릴|답변(?:드릴|할)|제공(?:해\s?드릴|할))\s?수\s?(?:가\s+|는\s+)?없",
    ),
    "ignorance": (
        r"\bweet\s+(?:\w+\s+){0,3}niet\b|\bonbekend\b|\bnie\s+(?:wiem|znam)\b|\bnieznan\w+|\bbilm(?:iyorum|em)\b|\bbilinmiyor\b"
        r"|모르|알\s?수\s?없|알지\s+못|불명|nie\s+mog[ęe]\s+(?:\w+\s+){0,2}(?:okre[śs]li|ustali|stwierdzi)|belirleyem",
    ),
}
"""Patterns by the group of ``answer_words`` that they join."""
