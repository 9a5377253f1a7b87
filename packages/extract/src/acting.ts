/** An English sentence in which the speaker says what is about to be done. */
const INTENDS =
  /\b(?:let me|let's|let us|(?:i|we)(?:'ll| will| need to| have to| want to| should| must|'m going to| am going to|'re going to| are going to))\b/i;

/** Other English sentences in which the speaker does something now. */
const ENGLISH_SPEAKER =
  /\b(?:(?:i|we)(?:'m|'re| am| are| shall| can(?! see)| need| want| try| check| search| look| read| open| call| use| run| get| fetch| ask)|(?:now|next|then|first|so) (?:i|we)(?! (?:was|were|had|have been|got)\b))\b(?!.*\b(?:this|these|following)\b)/i;

/** Words before the first person that make it what somebody else says or wants. */
const SAID_BY_OTHERS = /\b(?:says?|said|wants?|asks|tells|told \w+|(?<!(?:after|before|for|with) )that) $/i;

/** The other ways in which models lead to a call in English. */
const ENGLISH_NARRATION: readonly RegExp[] = [
  // "Reading notes.txt", "Next, checking the log"
  /^(?:(?:now|next|then|first|second|third|last|finally|so|ok|okay|right|alright|and|done|great|sure|step \d+|\d+[.)])\b[\s,:.!-]*)*(?!(?:following|according|warning|during|nothing|something|listing|meaning|morning|evening|incoming|outgoing|pending|existing|remaining)\b)\w{2,}ing\b/i,
  // "Check the log"
  /^(?:(?:now|next|then|first|finally|step \d+|\d+[.)])[\s,:.]*)*(?:check|search|read|open|look|list|get|fetch|find|load|inspect|query|delete|run|view|scan|call|use)\b(?!.*\b(?:this|that|these|following|below|above)\b)/i,
  // "Tool call:", "Step 2:"
  /^(?:(?:the )?(?:tool|function)s?(?: calls?| to be called)|calls?|(?:next )?step(?: \d+)?|(?:my )?plan|thoughts?|action|one moment|now|sure|ok(?:ay)?)\W*:$/i,
  // "Here is the call:", "Now the function call for Oslo:"
  /^here (?:we go|goes\b.*)\W*:$/i,
  /^(?:here(?:'s| is| are)|now|next|then|finally)\b.*\b(?:calls?|results?)\W*:$/i,
  /^(?:here(?:'s| is| are)|the|now|next)\b.*\b(?:tool|function) calls? (?:to|for|is|are)\b.*:$/i,
  /^(?:as )?you (?:ask(?:ed)?|want(?:ed)?)\b(?!.*\b(?:what|why|how|whether|if|about|who|when|this|these|following)\b)/i,
  /\bso now\W*:$/i,
];

/** The beginning or the end of a clause in which the speaker does something now: pronouns, helping verbs and endings. */
const SPEAKERS: readonly RegExp[] = [
  // German. "habe" and "bin" make the perfect, "wurde" the passive.
  /^(?:(?!(?:habe|haben|hatte|hatten|bin|war|wurden?|soll|sollen|sollten?|konnten?|mussten?|wollten?) )[\p{L}-]+ ){0,3}?(?:ich|wir)(?!\p{L})(?! (?:habe|haben|hatte|hatten|bin|war|wurden?|soll|sollen|sollten?|konnten?|mussten?|wollten?)(?!\p{L}))|^(?:lass mich|lassen sie mich|lass uns)(?!\p{L})/iu,
  // French. "ai" makes the perfect.
  /^(?:[\p{L}']+ ){0,2}?(?:je |j'|nous )(?!(?:ai|avons|avais|avions)(?!\p{L})(?!.*besoin))|^(?:laissez?-moi|permettez-moi|voyons)(?!\p{L})/iu,
  // Spanish, Portuguese and Italian leave the pronoun out: helping verbs, or "now" before a verb that ends in "-o".
  /^(?:\p{L}+ ){0,2}?(?:voy a|vamos a|estoy|estamos|tengo que|tenemos que|debo|debemos|necesito|necesitamos|quiero|déjame|déjeme|permíteme|permítame) /iu,
  /^(?:\p{L}+ ){0,2}?(?:vou|vamos|estou|estamos|tenho (?:de|que)|temos (?:de|que)|devo|devemos|preciso|precisamos|quero|deixe-me|deixa-me)(?!\p{L})/iu,
  /^(?:\p{L}+ ){0,2}?(?:sto|stiamo|vado a|andiamo a|devo|dobbiamo|voglio|vogliamo|ho bisogno di|abbiamo bisogno di|ci serve|ci servono|mi serve|mi servono|fammi|lasciami) /iu,
  /^(?:(?:ahora|primero|luego|después|entonces|agora|primeiro|depois|então|adesso|ora|prima|poi|quindi|allora)(?: mismo)?|yo|eu|io)(?: (?:lo|la|los|las|li|le|yo|eu|io))? (?!(?:como|esto|solo|todo|cuando|quando|isto|tudo|questo|tutto)(?!\p{L}))\p{L}{2,}o(?!\p{L})/iu,
  // Their futures.
  /^(?:\p{L}+ ){0,2}?\p{L}{2,}(?:[aei]ré|[aei]rei|erò|irò)(?!\p{L})/iu,
  // Dutch. "heb" and "ben" make the perfect.
  /^(?:[\p{L}-]+ ){0,3}?ik (?!(?:heb|had|ben|was)(?!\p{L}))|^(?:laten we|laat me|laat mij)(?!\p{L})/iu,
  // Polish
  /^(?:(?:teraz|najpierw|następnie|potem) )?\p{L}{3,}(?:am|ę)(?!\p{L})/iu,
  // Indonesian and Malay. Vietnamese.
  /^(?:\p{L}+ )?(?:saya (?:akan|sedang|perlu|harus|ingin)|mari kita|tôi (?:sẽ|đang|cần|phải|muốn)) /iu,
  // Korean
  /(?:겠습니다|[할볼올을]게요|고 있습니다|[해봐]야 합니다)$/u,
  // Russian. The past ends in "-л".
  /^(?:\p{L}+ ){0,2}?(?:я|мы) (?!(?!сначала)(?:(?:\p{L}+о|уже|вчера|только|тут|там) )?\p{L}+[аеёиоуыюя]л(?:а|и)?(?:с[ья])?(?!\p{L}))/iu,
  /^(?:(?:сейчас|теперь|сначала|затем|потом) )*(?:\p{L}+(?:[аеиоуыя]ю|[лнртв]ю|[шщж]у|йду)(?:сь)?|мне (?:нужно|нужен|нужна|нужны|надо)|нам (?:нужно|нужен|нужна|нужны|надо)|давайте|давай|позвольте)(?!\p{L})/iu,
  /^(?:\p{L}+ )?(?:нам|мне) нуж(?:но|ен|на|ны)(?!\p{L})/iu,
  /^(?:сейчас|теперь|сначала|затем|потом) \p{L}+[юу](?:сь)?(?!\p{L})/iu,
  // Chinese. 了, 过 and 到 mark what has happened, 着 what is there.
  /^(?:好的?|那么?|现在|接下来|首先|然后|所以|因此|于是|先)*(?:让我们?|我们?|咱们|正在)(?!.*(?:了(?!解)|(?<!通)过|[看收找遇听意]到|[看听]见|[写印标注]着))/u,
  // Japanese. A subject that は or が names is somebody else.
  /^(?!.*(?:(?<![でず私次])は(?!い)|(?<!す)が)).*(?:(?<!意味)します|みます|(?<![あな])ります|べます|(?<!で)きます|えます|めます|行います|ましょう|しています|べています|必要があります)$/u,
  // Turkish.
  /\p{L}{2}(?:(?<!m)[ıiuü]yor(?:um|uz)|[ae]ca[ğg][ıi](?:m|z)|ece[ğg]i(?:m|z)|[ae]y[ıi]m|al[ıi]m|elim|(?:mam|mem|mamız|memiz) (?:gerek|gerekiyor|lazım)| ihtiyac[ıi]m(?:[ıi]z)? var)$/iu,
];

/** Words before the first person that make a clause part of another one. */
const SUBORDINATE =
  /(?:^|[ '])(?:dass|daß|was|wie|den|die|wenn|als|weil|ob|damit|que|qu'|si|quand|comme|che|se|чтобы|что|если|когда|как)(?=[ ']|$)/iu;

/** A helping verb with a word that else begins a clause. */
const MUST = /(?:tengo|tenemos|tenho|temos) que/i;

/** Words behind the first person with which the sentence turns to what is said or written. */
const TURNS_TO = /(?:^|[ '])(?:dass|daß|was|que|qu'|che|что|котор\p{L}+)(?=[ ']|$)/iu;

const NEGATED =
  /(?:^| )(?:nicht|nie|niemals|kein\p{L}*|ne|n'\p{L}+|pas|jamais|no|nunca|jamás|não|non|mai|не|никогда)(?!\p{L})|[不没別]|ません|ない/iu;

/** Words that point at what follows: a sentence with one of them leads to something shown. */
const POINTS =
  /(?:^|[ '])(?:folgende\p{L}*|suivante?s?|voici|siguientes?|seguintes?|seguenti?|следующ\p{L}+|şöyle|şunu|aşağıda\p{L}*)(?!\p{L})|[如以]下|下面|这样|次の|こう|このように/iu;

/** An example or a quotation by its name. */
const EXAMPLE =
  /(?<!\p{L})(?:zitier|цитир|процитир|alıntı|je cite|nous citons|exempl|ejemplo|esempi|beispiel|voorbeeld|пример|przykład|örne[kğ])|引用|[例比]如|[例示]子|示例|例え|例(?=\W*$)|예를 들|예시/iu;

/** A pronoun that points at something at hand, in a question about it. */
const AT_HAND =
  /(?:^|[\s¿"'])(?:this|these|das hier|dies|dieses|diese|ceci|cela|esto|eso|isto|isso|questo|это|bu|bunu|şu|şunu)(?!\p{L})|das\?|ça ?\?|[这此]|これ|この/iu;

/** Whether an English sentence says what the speaker is about to do. It overrides what the sentence is about. */
export function isIntended(sentence: string): boolean {
  return speaksEnglish(INTENDS, sentence.replaceAll("’", "'"));
}

/**
 * Whether a sentence says that the speaker is doing something now: in the first person, by a closed set of pronouns,
 * helping verbs and endings of several languages, or in one of the ways in which models narrate in English.
 */
export function isActing(sentence: string): boolean {
  const plain = sentence
    .replaceAll("’", "'")
    .replace(/^[^\p{L}\p{N}]+/u, "")
    .trimEnd();
  if (ENGLISH_NARRATION.some((pattern) => pattern.test(plain))) return true;
  if (speaksEnglish(INTENDS, plain) || speaksEnglish(ENGLISH_SPEAKER, plain)) return true;
  if (POINTS.test(plain) || EXAMPLE.test(plain)) return false;
  const clauses = plain.split(/[,;:，；：、—]\s*|\.{3}\s*|…\s*| – /).map((clause) => clause.trim());
  return clauses.some(
    (clause, index) => speaks(clause) && !clauses.slice(index + 1).some((next) => TURNS_TO.test(next)),
  );
}

function speaksEnglish(pattern: RegExp, sentence: string): boolean {
  const found = pattern.exec(sentence);
  return found !== null && !SAID_BY_OTHERS.test(sentence.slice(0, found.index));
}

function speaks(clause: string): boolean {
  if (clause === "" || NEGATED.test(clause)) return false;
  return SPEAKERS.some((pattern) => {
    const found = pattern.exec(clause);
    if (found === null || SUBORDINATE.test(found[0].replace(MUST, ""))) return false;
    return !TURNS_TO.test(clause.slice(found[0].length));
  });
}

/** Whether a sentence calls what follows an example or a quotation. */
export function isOfExample(sentence: string): boolean {
  return EXAMPLE.test(sentence);
}

/** Whether a sentence asks about something at hand. */
export function isAskedAbout(sentence: string): boolean {
  return /[?？]$/.test(sentence) && AT_HAND.test(sentence);
}
