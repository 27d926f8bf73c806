"""Words around a license name in an answer: denial, comparison, advice, doubt, refusal; 13 languages."""

import re

from cleartitle.licenses import answer_tongues
from cleartitle.licenses.answer_tongues import TONGUES

__all__ = [
    "ADVICE",
    "ADVISED_AFTER",
    "COMPARISON",
    "CORRECTION",
    "CUE",
    "CUE_AFTER",
    "DENIAL",
    "DENIED_AFTER",
    "DOUBT",
    "EQUAL",
    "HEDGE_ANYWHERE",
    "HEDGE_BEFORE",
    "IGNORANCE",
    "NO_LICENSE",
    "PAST",
    "PRESENT",
    "REFUSAL",
    "RESET",
    "UNDECIDED",
    "governs",
    "last_match",
]


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_EQUAL = (
    r"\b(?:equivalent|identical|close|akin)\s+to\b|\bresembl\w+\b|\breminiscent\s+of\b|\bsomething\s+like\b"
    r"|(?<!\d\s)\b(?:version|variant|form|derivative|flavou?r|descendant)\s+of\b"
)
EQUAL = _any(_EQUAL)
"""A comparison that leaves the compared name as the best guess."""
DENIAL = _any(
    r"\bnot\b(?!\s+only)",
    r"n't\b",
    r"\b(?:never|neither|nor)\b",
    r"\bno\b(?!\s*[,.:;!-]|\s+(?:doubt|question|less|wonder|surprise|rights|restrictions)\b)",
    r"\b(?:rather|other)\s+than\b|\binstead\s+of\b|\bas\s+opposed\s+to\b|\bwithout\s+(?:an?|any|the)\s*$",
    r"\bi\s+(?:highly\s+|really\s+|strongly\s+)?doubt\b|\b(?:wrong|incorrect|false|mistaken|inaccurate)\s+to\s+\w+|\banything\s+but\b|\bfar\s+from\b",
    r"\bnicht\b(?!\s+nur)|\bkeine?[rnsm]?\b|\b(?:an)?statt\b",
    r"\bpas\b|\bni\b|\bplut[ôo]t\s+que\b|\bau\s+lieu\s+de\b",
    r"\ben\s+lugar\s+de\b|\bnon\b|\bn[ãa]o\b|\binvece\s+d",
    r"(?<!\w)(?:не|нет|вместо)(?!\w)",
    r"不是|并非|并不|不属于|而非|而不是|没有使用",
    *TONGUES["denial"],
)
"""A denial before a name."""
RESET = _any(
    r"[,:;.)-]\s*(?:it(?:'s|'d|\s+(?:is|was|uses|would|should|must))|(?:this|that|they|these|the|its)\s+(?:[\w-]+\s+){0,3}(?:is|are|was|uses?|used|chose|picked|selected|went)|rather|instead|actually|maybe|perhaps|"
    r"probably|possibly|most\s+likely|likely|i\s+(?:think|believe|guess)|but)\b",
    r"\bexcept\b|\bbut\b|\bother\s+than\b(?=.{0,20}$)",
    r"\band\s+(?:is|it|it's|was|are|falls?|therefore|so|thus|instead|has\s+been|comes?)\b",
    r"\b(?:sure|certain|positive|known?|tell|confirm|verify|mistaken|wrong)\s*[,;:]|^\s*say\s*[,;:]|[,;:]\s*(?:always|just|simply|now|uses?|is|was|has|carries|falls)\b|\b(?:because|since)\s+(?:it|this|that|the)\b",
    r",\s*(?:then|dann|alors|entonces)\b",
    r"[,:;]\s*(?:es\s+ist|sie\s+ist|das\s+ist|c'est|il\s+s'agit|es\b|è\b|é\b|это\b|a)\b|\bsondern\b|\bsino\b",
    r"而是|就是|它是|,\s*是",
    *TONGUES["reset"],
)
"""What ends the reach of a denial."""
DENIED_AFTER = re.compile(
    r"\W{0,3}(?:licen[cs]e[ds]?\s+|code\s+)?(?:"
    r"(?:is|was|does|do|are|would|should|can)(?:\s+not|n't)\s+(?:apply|applicable|the|this|used|what|it(?!\s*\?)|correct|relevant|here|involved|be)"
    r"|(?:is|was|does|do|are)(?:\s+not|n't)\s*(?:[.,;!)]|$)|(?:ist|gilt)\s+(?:hier\s+)?nicht|n'est\s+pas|no\s+(?:es|aplica)"
    r"|(?:ライセンス)?(?:では|じゃ)(?:なく|ない|ありません)|(?:许可证)?(?:不适用|并不适用)|не\s+(?:применя|подход))"
    rf"|{answer_tongues.DENIED_AFTER}",
    re.IGNORECASE,
)
"""A denial after a name."""
COMPARISON = _any(
    r"\bsuch\s+as\b|\be\.?\s?g\.?(?=[\s,])|\bfor\s+(?:example|instance)\b|\bincluding\b|\binclude[sd]?\b(?!\s+(?:a|the|an)\s+copy)",
    r"(?<!looks\s)(?<!look\s)(?<!seems\s)(?<!sounds\s)(?<!appears\s)\blike\b(?!\s+to\b)",
    r"\bsimilar\s+to\b|\bcompar\w+\s+(?:to|with)\b|\bcompatible\s+with\b|\bthan\b|\bunlike\b|\bdiffer\w*\s+from\b|\bin\s+contrast\b|\bwhereas\b",
    r"\b(?:common|popular|typical|standard|usual|frequent\w*|permissive|copyleft|several|various|many|different|other)(?:\w*\s+){1,3}(?:licen[cs]es|options|choices)\b",
    r"\boptions?\s+(?:are|include|would)\b|\bz\.\s?B\.|\bzum\s+Beispiel\b|\bwie\s+(?:etwa|z)\b|\bpar\s+exemple\b|\btel(?:le)?s\s+que\b|\bcomme\s+(?=(?:la\s+licence\s+)?\w+(?:,|\s+ou\b))",
    r"\bpor\s+(?:ejemplo|exemplo)\b|\bta(?:les|is)\s+como\b|\bad\s+esempio\b|\bnaproximad|\bнапример\b|\bтаки[ем]\s+как\b|\bв\s+отличие\s+от\b",
    _EQUAL,
    r"\b(?:you|one|people|some|many)\s+(?:might|may|would|could)\s+(?:think|expect|assume|guess|say|believe)\b",
    r"\b(?:dependenc(?:y|ies)|third[\s-]party|vendored|submodules?)\b",
    r"(?<!choose\s)(?<!choice\s)(?<!choosing\s)(?<!pick\s)(?<!select\s)(?<!decide\s)(?<!torn\s)(?<!-up\s)\bbetween\b",
    r"\b(?:as\s+(?:permissive|free|liberal|restrictive|strict|simple)\s+as)\b",
    r"例如|比如|诸如|与.{0,6}相比|たとえば|例えば|のような|常见的?(?:开源)?许可",
    r"\b(?:many|most|some|other|such|similar|these|those|python|open[\s-]source|github)\s+(?:[\w-]+\s+){0,3}(?:projects|libraries|packages|developers|people|repositories|authors|snippets|codebases)\b",
)
"""A comparison or a list of examples before a name."""
ADVISED_AFTER = _any(
    r"\bif\s+you(?:'d|\s+would)?\s+(?:like|want|wish|prefer|need|choose)\b|\bis\s+a\s+(?:popular|good|common)\s+choice\b"
)
"""Advice after a name."""
PAST = _any(
    r"\b(?:used\s+to\s+be|formerly|previously|originally|initially|at\s+first|in\s+the\s+past|until|prior\s+to|(?:started|began)(?:\s+out)?\s+(?:as|under|with)|was(?=:)|(?:old|former|previous)(?![-/])|bis\s+\d{4}|jusqu'|hasta|historically|earlier\s+versions?)\b",
    r"\b(?:switch\w*|mov\w+|chang\w+|re-?licen[cs]\w+|migrat\w+|went)\s+(?:\w+\s+){0,3}from\b",
    r"\b(?:urspr[üu]nglich|fr[üu]her|ehemals|anciennement|auparavant|[àa]\s+l'origine|anteriormente|antes|originalmente|in\s+origine|precedentemente)\b",
    r"以前|原来|最初|原先|かつて|раньше|ранее|изначально|первоначально",
)
"""A name before is a thing of the past, if another one follows."""
PRESENT = _any(
    r"\band\s+is\b|\b(?:now|nowadays|these\s+days|to|currently|since|then|today|later|jetzt|heute|maintenant|d[ée]sormais|ahora|agora|ora|adesso)\b|现在|現在|теперь"
)
"""What ends the reach of the past."""
ADVICE = _any(
    r"\bif\b(?!\s+(?:i\b|my\s+memory|memory\s+serves|anything))|\bwhether\b",
    r"\byou\s+(?:can|could|may|might|should|would|will|'d)\s+(?:[\w'-]+\s+){0,3}(?:choose(?!\s+(?:either|between|one|from))|consider|release|licen[cs]e|add|apply|pick|select|want|need|specify|attach|decide|opt)\b",
    r"\b(?:recommend|advis)\w*\b|\b(?:i|we|i'd|would|to)\s+(?:\w+\s+)?suggest\b|\bconsider\s+(?!it\b|this\b|the\s+code\b)",
    r"^\W*to\s+(?:use|apply|add|adopt|choose)\s+(?:the\s+|an?\s+)?$",
    r"\bfeel\s+free\s+to\s+(?:licen[cs]e|choose|apply|add|pick)\b|\bchoose\s+(?:a|an)\s+licen",
    r"\b(?:puedes?|podr[íi]as?)\s+(?:elegir|usar|considerar)|\bsie\s+k[öo]nnen\s+(?:\w+\s+){0,3}(?:w[äa]hlen|verwenden)|\bvous\s+pouvez\s+(?:choisir|utiliser)",
    r"你可以(?:选择|考虑|使用)|建议|おすすめ|如果",
)
"""A condition or advice before a name."""
UNDECIDED = _any(
    r"(?:don't|do\s+not|cannot|can't|can\s+not|could\s+not|couldn't|unable\s+to|not\s+able\s+to|am\s+not|'m\s+not|hard\s+to|impossible\s+to|not\s+possible\s+to)\s+"
    r"(?:[\w%]+\s+){0,2}(?:know|determine|tell|say|confirm|verify|sure|certain|identify|guarantee|decide|be\s+sure|be\s+certain)",
    r"\b(?:unsure|uncertain|no\s+idea|unclear)\b",
    r"\bnicht\s+(?:sicher|sagen)|\bwei[ßs]s?\s+nicht\b|\bne\s+sais\s+pas\b|\bno\s+s[ée]\s+si\b|\bnon\s+so\s+se\b|\bn[ãa]o\s+sei\s+se\b|не\s+(?:знаю|уверен)|不确定|不知道|わかりません",
)
"""A statement of not knowing before a name."""
HEDGE_BEFORE = _any(
    r"\b(?:may|might|could|should|would|must)\s+(?:\w+\s+)?(?:be(?!\s+(?:noted|mentioned|said|clear|pointed|used|re-?distributed|distributed|copied|modified|shared|freely))|have\s+been|fall|come)\b",
    r"\b(?:is|it's|was)\s+either\b",
    r"\b(?:seems?|appears?|looks?|sounds?|resembles?|suggest(?:s|ing)?|indicat\w+|impl(?:y|ies)|hints?)\b",
    r"\b(?:typically|usually|generally|often|commonly|normally|in\s+general)\b",
    r"\b(?:believed|thought|assumed|said|reported|known|rumou?red|supposed|considered)\s+to\b",
    r"应该是|应当是|似乎|看起来|看上去|好像",
)
"""Doubt that counts before a name in its clause."""
HEDGE_ANYWHERE = _any(
    r"\b(?:probably|likely|possibly|perhaps|maybe|presum\w+|speculat\w+|tentative\w*|lean(?:s|ing)?|hunch|(?:most|more)\s+probable|in\s+all\s+(?:likelihood|probability)|my\s+money|guess(?:es|ed|ing)?|wager|unverified|unconfirmed|reportedly|conjectur\w+|plausibl[ye]|apparently|supposedly|allegedly|arguably|conceivably|potentially)\b",
    r"\bi(?:\s+would|'d|\s+do)?\s+(?:\w+\s+)?(?:think|believe|guess|assume|suspect|suppose|imagine|reckon|expect|say)\b"
    r"|(?<!people\s)(?<!many\s)(?<!some\s)(?<!you\s)(?<!they\s)(?<!often\s)(?<!users\s)\bassum(?:e|ed|es|ing|ption)\b"
    r"|\b(?:had|have|were)\s+to\s+(?:guess|bet|pick|choose)\b|\b(?:a|the|my)\s+(?:strong\s+)?(?:feeling|impression|intuition|sense)\b|\bor\s+(?:something|a)\s+(?:like|similar)\b|\bor\s+similar\b|\bguess(?:ing)?\s*[:,]|[,(]\s*(?:a\s+)?guess\b",
    r"\b(?:if|as\s+far\s+as)\s+i\s+(?:recall|remember|know|can\s+(?:tell|see)|understand|am\s+not\s+mistaken)\b|\bif\s+(?:my\s+)?memory\b|\bi'm\s+not\s+mistaken\b",
    r"\bto\s+(?:the\s+best\s+of\s+)?my\s+knowledge\b|\b(?:best|educated)\s+guess\b|\bmy\s+guess\b|\bafaik\b|\biirc\b|\bimo\b|\bin\s+my\s+opinion\b",
    r"\bmost\s+likely\b|\bmore\s+likely\s+than\s+not\b|\bgood\s+chance\b|\bnot\s+certain\b|\bdon't\s+quote\b",
    r"\b(?:wahrscheinlich|vermutlich|m[öo]glicherweise|vielleicht|wohl|anscheinend|scheint|eventuell|sieht\s+(?:\w+\s+){0,2}(?:nach|aus)|k[öo]nnte|d[üu]rfte|ich\s+(?:glaube|denke|vermute|nehme\s+an))\b",
    r"\b(?:probablement|peut-[êe]tre|sans\s+doute|semble(?:-t-il)?|ressemble|on\s+dirait|pourrait|je\s+(?:pense|crois|suppose))\b",
    r"\b(?:probablemente|quiz[áa]s?|tal\s+vez|posiblemente|parece|podr[íi]a|creo\s+que|supongo|pienso)\b",
    r"\b(?:provavelmente|talvez|possivelmente|poderia|pode\s+ser|acho\s+que|acredito|suponho|penso)\b",
    r"\b(?:probabilmente|forse|sembra|potrebbe|credo|penso|suppongo|immagino|dovrebbe)\b",
    r"可能|也许|大概|或许|我认为|我觉得|我猜|估计|恐怕",
    r"おそらく|恐らく|多分|たぶん|と思(?:い|う|われ)|かもしれ|でしょう|だろう|ようです|みたい",
    r"(?<!\w)(?:вероятно|возможно|наверное|наверно|скорее\s+всего|думаю|полагаю|кажется|похоже|по-видимому|видимо|предположительно)(?!\w)",
    r"\b(?:if|wenn|falls|si)\s+(?:this|it|that|the\s+(?:code|function|snippet)|das|es|der\s+code|c'est|es\s+de)(?:'s|\s+(?:is|was|comes?|came|ist))?\s+(?:\w+\s+)?(?:from|part|taken|copied|aus|de)\b",
    r"\bseemingly\b|\bwant\s+to\s+say\b|\bdouble[\s-]?check\b|\b(?:fairly|pretty|reasonably|almost|relatively|somewhat)\s+(?:sure|certain|confident)\b|\b\d\d\s?%\s+(?:sure|certain)\b|\b(?:is|it's|be)\s+one\s+of\b",
    *TONGUES["hedge"],
)
"""Doubt that counts anywhere in the sentence of a name."""
DOUBT = _any(
    r"\bnot\s+(?:entirely\s+|completely\s+|100\s?%\s+|absolutely\s+|totally\s+|fully\s+|quite\s+|very\s+|too\s+|really\s+)?(?:sure|certain|positive)\b(?!\s+(?:if|whether)\s+(?:this|that|it)\s+(?:helps|answers))",
    r"\b(?:unsure|uncertain)\b|\bcan(?:no|')t\s+(?:be\s+(?:\w+\s+)?(?:sure|certain)|confirm|verify|guarantee)\b|\bcannot\s+(?:be\s+(?:\w+\s+)?(?:sure|certain)|confirm|verify|guarantee)\b",
    r"\b(?:hard|difficult|tough|impossible)\s+to\s+(?:tell|say|know|determine)\b|\b(?:don't|do\s+not)\s+(?:really\s+|actually\s+)?know\s*(?:[.,;!]|$|which)|\bcan(?:no|')t\s+(?:tell|say|decide|determine)\s*(?:[.,;!]|$|which)|\bne\s+sais\s+pas\b|\bweiss?\s+(?:es\s+)?nicht\b|\bno\s+(?:lo\s+)?(?:sé\b|se(?=\s*(?:[.,;!]|$)))",
    r"\bunable\s+to\s+(?:verify|confirm)\b|\b(?:may|might|could)\s+be\s+(?:wrong|mistaken|incorrect)\b|\b(?:don't|do\s+not)\s+know\s+for\s+(?:sure|certain)\b",
    r"\bnicht\s+(?:ganz\s+)?sicher\b|\bpas\s+(?:tout\s+[àa]\s+fait\s+)?s[ûu]re?\b|\bno\s+estoy\s+(?:del\s+todo\s+)?segur[oa]\b|\bn[ãa]o\s+tenho\s+certeza\b|\bnon\s+(?:ne\s+)?sono\s+sicur[oa]\b|не\s+уверен|不确定|不太确定|確信はありません|確かではありません",
    *TONGUES["doubt"],
)
"""Doubt that counts wherever it stands in an answer."""
CORRECTION = _any(
    r"\b(?:correction|my\s+mistake|i\s+apologi[sz]e|on\s+second\s+thought|let\s+me\s+correct|i\s+was\s+wrong|(?:that|it|this|which)\s+(?:was|is)\s+(?:wrong|incorrect|a\s+mistake|an\s+error)|i\s+misspoke|scratch\s+that|wait)\b",
    r"(?:^|[.!?\n]\s*)actually\b|\bactually,",
    r"\bkorrektur\b|更正|訂正|поправка",
)
"""A sentence that takes back what was said before."""
CUE = re.compile(
    r"(?:\bunder\b|\blicen[cs]ed\b|\blicen[cs]e\b[^.]{0,40}?(?:\bis\b|\bwas\b|:|=|\bwould\s+be\b)|\bis\s+(?:an?\s+|the\s+)?$|'s\s+(?:an?\s+|the\s+)?$|:\s*$"
    r"|\bare\s+(?:all\s+)?$|\buses?\b|\bvia\b|\bgoverned\b|\bcovered\b|\bunter\b|\bsous\b|\bbajo\b|\bsob\b|\bsotto\b|\bcon\s+licen|\bavec\b|\best\b|\bist\b|(?<!\w)под(?!\w)|лицензи|许可证?(?:是|为)|使用|采用|遵循|基于|根据|は|で)",
    re.IGNORECASE,
)
"""Words before a name that assert it."""
CUE_AFTER = re.compile(r"[\s-]{0,2}(?:licen[cs]ed\b|で|の下|に基づ|のもと|发布|授权|lizenziert)", re.IGNORECASE)
"""Words after a name that assert it."""

_LICENSE = r"(?:licen[cs]\w*|copyright\w*|legal|attribution)"
NO_LICENSE = _any(
    rf"\b(?:no|without(?:\s+any|\s+an?)?|lacks?(?:\s+any|\s+an?)?|zero)\s+(?:[\w'/-]+\s+){{0,4}}?{_LICENSE}",
    rf"(?:\bnot|n't)\s+(?:\w+\s+){{0,2}}?(?:have|has|specif\w+|includ\w+|contain\w*|mention\w*|stat\w+|carr\w+|provid\w+|come|list\w*|bear|indicat\w+|declar\w+|under|subject|assign\w*|appear|attach\w*|associated|show|display|explicit\w*|accompan\w+|give|given|tied|covered|licensed|present)\b(?:[^.\n]{{0,80}}?\b{_LICENSE})",
    rf"(?:\b(?:could|can|do|did|am)\s?)?(?:\bnot|n't|not|unable\s+to|fail\w*\s+to)\s+(?:\w+\s+)?(?:see|find|spot|detect|locate|notice|recogni[sz]e)\s+(?:any|an?|explicit|a\s+specific)\s+(?:[\w/-]+\s+){{0,4}}?{_LICENSE}",
    rf"{_LICENSE}(?:[\s\w]{{0,40}}?)(?:\b(?:is|are|was|were|has|have)\b\s*)?(?:\bnot|n't)\s+(?:\w+\s+)?(?:been\s+)?(?:specif\w+|stated|provid\w+|mention\w+|includ\w+|given|available|indicated|declared|present|assigned|attached|found|applicable|visible|explicit\w*)",
    rf"(?:\bis|\bare|\bwas|'s)(?:\s+not|n't)\s+(?:actually\s+)?(?:an?|any)\s+(?:\w+\s+){{0,3}}{_LICENSE}",
    r"\b(?:has|have|was|were)(?:\s+not|n't)\s+(?:yet\s+)?(?:been\s+)?licen[cs]ed\b(?!\s+under)",
    r"(?:\bis|\bare|'s)(?:\s+not|n't)\s+(?:explicitly\s+)?licen[cs]ed\b(?!\s+under)|^\W*not\s+licen[cs]ed\b(?!\s+under)|\bun-?licensed\b|\bnot\s+specified\b|\bunspecified\b|^\W*none\b|\b(?:there\s+(?:is|are)|has|have|had)\s+none\b|^\W*nope\W*$|^\W*n\.?a\.?\W*$|^\W*n/a\W*$|^\W*nil\W*$|^\W*null\W*$|^\W*no\W*$|\bnot\s+applicable\b|\bnone\s+(?:specified|given|stated|provided|found|mentioned)\b|\blicen[cs]e\s*:\s*none\b",
    r"^\W*not\s+(?:specified|provided|mentioned|stated|given|available|included|present|found|indicated|disclosed|listed|declared)\W*$",
    rf"^\W*nothing\s+(?:is\s+)?(?:specified|stated|given|mentioned|indicated)|\bnothing\s+(?:\w+\s+){{0,2}}(?:about|on|regarding)\s+(?:\w+\s+){{0,2}}{_LICENSE}|^[^.\n]{{0,60}}(?:doesn't|does\s+not)\s+say\b",
    r"\bkeine?r?\s+(?:\w+\s+){0,3}lizenz|\bohne\s+lizenz|lizenz(?:angabe)?\s+(?:ist\s+|wurde\s+)?nicht\s+(?:angegeben|genannt|spezifiziert)|\bnicht\s+lizenziert",
    r"\baucune\s+(?:\w+\s+){0,2}licence|\bpas\s+(?:\w+\s+){0,3}(?:de\s+)?licence|\bsans\s+licence|licence\s+n'est\s+pas\s+(?:sp[ée]cifi|indiqu|pr[ée]cis)",
    r"\b(?:ninguna|sin(?:\s+ninguna)?|no\s+(?:\w+\s+){0,4}(?:una|ninguna|de)?)\s*licencia|\bno\s+se\s+especifica|licencia\s+no\s+(?:est[áa]|se)\s+",
    r"\b(?:nenhuma|sem(?:\s+nenhuma)?|n[ãa]o\s+(?:\w+\s+){0,4}(?:uma|nenhuma|de)?)\s*licen[çc]a|\b(?:nessuna|senza(?:\s+alcuna)?|non\s+(?:\w+\s+){0,4}(?:una|alcuna|nessuna)?)\s*licenza",
    r"(?:没有|无|未|并未|不包含|不含|缺少)[^。,\n]{0,12}(?:许可|授权|版权|license)|(?:许可证?|授权|版权)(?:信息)?[^。,\n]{0,6}(?:未|没有)(?:指定|说明|提供|明确|注明|声明)|未指定|无许可",
    r"(?:ライセンス|著作権)[^。\n]{0,24}?(?:ありません|ない|なし|されていません|含まれていません|不明示|存在しません)",
    r"(?:нет|без|отсутству\w+)\s+(?:\w+\s+){0,3}лицензи|лицензи\w+\s+(?:\w+\s+)?(?:не\s+(?:указан|имеет|определен)|отсутств)|лицензи\w+\s+нет\b|не\s+(?:имеет|содержит|указан\w*)\s+(?:\w+\s+){0,3}лицензи",
    *TONGUES["none"],
)
"""Statements that there is no license, or that none is given."""
REFUSAL = _any(
    r"\b(?:can'?t|cannot|can\s+not|unable\s+to|not\s+able\s+to|won't(?:\s+be\s+able\s+to)?|will\s+not(?:\s+be\s+able\s+to)?|must\s+decline\s+to|not\s+allowed\s+to|not\s+permitted\s+to|not\s+comfortable)\s+(?:\w+\s+){0,2}?(?:help|assist|provide|giv(?:e|ing)|offer|answer|share|comment|discuss|fulfill|fulfil|comply|respond|disclose|continue|do\s+that|complete\s+th|reproduc\w+)",
    r"\bi\s+(?:must|have\s+to|need\s+to|will|'ll)\s+(?:\w+\s+)?decline\b|\bi\s+decline\b|\b(?:rather|prefer)\s+not\b|\bi\s+(?:must\s+|have\s+to\s+)?refuse\b|^\W*no\s+comment\b|\bi\s+(?:do\s+not|don't)\s+(?:provide|give|offer|comment|answer|discuss)\b|\b(?:must|will|'ll|have\s+to)\s+(?:refrain|abstain)\b|(?:'m|\bam)\s+not\s+(?:qualified|authori[sz]ed)\b|\bagainst\s+(?:my|the)\s+(?:guidelines|policy|policies)",
    r"\bkann\s+(?:ich\s+)?(?:\w+\s+){0,4}nicht\s+(?:helfen|beantworten|geben|weiterhelfen)|\bne\s+peux\s+pas\s+(?:\w+[\s']){0,2}(?:aider|r[ée]pondre|fournir|donner)",
    r"\bno\s+puedo\s+(?:\w+\s+){0,2}?(?:ayudar\w*|proporcionar\w*|responder\w*|dar\w*|ofrecer)|\bn[ãa]o\s+posso\s+(?:\w+\s+){0,2}?(?:ajudar|fornecer|responder|dar)|\bnon\s+posso\s+(?:\w+\s+){0,2}?(?:aiutar\w*|fornire|rispondere|dare)",
    r"无法(?:提供|回答|协助|帮助)|不能(?:提供|回答|帮助)|お答えできません|お手伝いできません|提供できません|не\s+могу\s+(?:\w+\s+){0,2}(?:помочь|ответить|предоставить|дать)",
    *TONGUES["refusal"],
)
"""The model declines."""
IGNORANCE = _any(
    r"\b(?:don't|do\s+not|doesn't|does\s+not)\s+(?:\w+\s+){0,2}?(?:know|recall|remember)\b|\bno\s+(?:idea|clue)\b|\bunknown\b|\bundetermined\b|\bnot\s+(?:known|sure|certain|aware|clear)\b|\bunclear\b|\bunsure\b|\buncertain\b",
    r"\bi\s+(?:don't|do\s+not|have\s+no)\s+(?:\w+\s+){0,2}?(?:information|access|knowledge|details|data|record|context|way)\b",
    r"\b(?:can'?t|cannot|can\s+not|could\s+not|couldn't|unable\s+to|not\s+able\s+to|not\s+possible\s+to|impossible\s+to|hard\s+to|difficult\s+to)\s+(?:\w+\s+){0,3}?(?:determine|tell|identify|verify|confirm|say|know|find(?!\s+(?:any|an?|explicit)\s+(?:\w+\s+){0,3}licen)|establish|ascertain|infer|be\s+(?:sure|certain|determined|identified|known)|trace|access)\b",
    r"\bdepends?\s+on\b|\bneed\s+more\s+(?:information|context)\b|\bplease\s+(?:provide|specify|check|refer)\b",
    r"\bwei[ßs]s?\s+(?:\w+\s+)?nicht\b|\bunbekannt\b|\bne\s+(?:le\s+|la\s+)?sais\s+pas\b|\binconnue?\b|\bno\s+(?:lo\s+)?(?:sé\b|se(?=\s*(?:[.,;!]|$)))|\bdesconoz?co\b|\bdesconocid[oa]\b|\bn[ãa]o\s+sei\b|\bdesconhecid[oa]\b|\bnon\s+(?:lo\s+)?so\b|\bne\s+connais\s+pas\b|\bno\s+conozco\b|\bn[ãa]o\s+conhe[çc]o\b|\bnon\s+conosco\b|\bkenne\s+(?:\w+\s+){0,3}nicht\b|\bsconosciut[oa]\b",
    r"不知道|未知|不清楚|无法确定|不确定|不明确|わかりません|分かりません|不明|知りません|не\s+знаю|неизвестн|не\s+могу\s+(?:определить|сказать|установить)",
    *TONGUES["ignorance"],
)
"""The model says that it does not know."""


def last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The last match of a pattern in a text."""
    last = None
    for match in pattern.finditer(text):
        last = match
    return last


def governs(pattern: re.Pattern[str], before: str, limit: int = 90) -> bool:
    """Whether the last match of ``pattern`` in ``before`` reaches its end: near enough, and nothing resets it."""
    match = last_match(pattern, before)
    if match is None:
        return False
    between = before[match.end() :]
    return len(between) <= limit and not RESET.search(between)
