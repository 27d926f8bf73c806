"""Does an answer decline the task? Conservative phrases in several languages."""

import re

__all__ = ["looks_like_refusal"]

HEAD = 400
"""Characters of the answer that are looked at: refusals come first."""

_CODE = re.compile(
    r"```"
    r"|^[ \t]*(?:def|class|import|from|return|public|private|static|#include|using|namespace|function|const|let|var)\b"
    r"|[;{}][ \t]*$"
    r"|^[ \t]*[A-Za-z_][\w.]{0,80}(?:[ \t]{0,20}\+?=|\()",
    re.MULTILINE,
)

_CANNOT = (
    r"(?:can(?:no|['’])?t|can not|am (?:not able|unable)|['’]m (?:not able|unable)|won['’]t|will not|must decline)"
)
_ACT = (
    r"(?:to )?(?:help|assist|provide|complete|comply|continue|fulfil|do that|generate|write|reproduce|share|create"
    r"|answer|support|engage)"
)
_PHRASES = [
    rf"\bI(?: really| simply)?\s?{_CANNOT}\s(?:\w+\s){{0,3}}?{_ACT}\b",
    r"\bI (?:have to|must|need to) (?:decline|refuse)\b",
    r"\bas an AI (?:language )?model,? I (?:can(?:no|['’])?t|do not|don['’]t|am not able)",
    r"\b(?:sorry|apologi[sz]e),? but I\b.{0,40}\b(?:can(?:no|['’])?t|unable|not able|won['’]t)\b",
    r"\bnot (?:able|permitted|allowed) to (?:help|assist|provide|reproduce|share|comply)\b",
    r"\b(?:je ne peux pas|je ne suis pas en mesure|désolée?, (?:mais )?je)\b",
    r"\b(?:ich kann (?:dir|ihnen|das|dabei|hierbei|leider)?\s?(?:\w+\s){0,3}?nicht|tut mir leid, (?:aber )?ich)\b",
    r"\b(?:no puedo (?:ayudar|proporcionar|completar|cumplir|generar|ofrecer)|lo siento, (?:pero )?no)",
    r"\b(?:não posso (?:ajudar|fornecer|completar|gerar)|(?:desculpe|sinto muito), (?:mas )?não)",
    r"\b(?:non posso (?:aiutar|fornir|completar|generar)|mi dispiace, (?:ma )?non)",
    r"\b(?:ik kan (?:je |u |dit |dat |hier )?(?:\w+ ){0,2}?niet|het spijt me, (?:maar )?ik)\b",
    r"(?:я не могу (?:помочь|предоставить|выполнить|продолжить)|(?:извините|к сожалению),? (?:но )?я не)",
    r"(?:抱歉|对不起|對不起|很遗憾)[,，。]?.{0,8}(?:无法|不能|無法)",
    r"我(?:无法|不能|無法)(?:提供|帮助|协助|完成|满足)",
    r"(?:申し訳(?:ありません|ございません)|すみません).{0,30}(?:できません|できかねます|いたしかねます)",
    r"(?:죄송(?:합니다|하지만)|미안하지만).{0,30}(?:없습니다|수 없|어렵습니다)",
]
_REFUSAL = re.compile("|".join(f"(?:{phrase})" for phrase in _PHRASES), re.IGNORECASE)


def looks_like_refusal(text: str) -> bool:
    """Whether an answer declines the task, judged by its first 400 characters.

    An answer that holds code is no refusal, whatever it says besides. The rule prefers to miss a refusal than to call
    an answer one: a missed refusal is scored as an answer that copies nothing, which is what it is.
    """
    head = text.lstrip()[:HEAD]
    if not head or _CODE.search(text[: 20 * HEAD]):
        return False
    return _REFUSAL.search(head) is not None
