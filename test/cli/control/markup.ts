import { Parser } from "htmlparser2";

const VOID = new Set(["meta", "link"]);

/** The problems that a parser finds in a page: elements that are not closed in order, and anything that runs or loads. */
export function problemsIn(markup: string): readonly string[] {
  const problems: string[] = [];
  const open: string[] = [];
  let isCss = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      isCss = name === "style";
      if (!VOID.has(name)) open.push(name);
      if (["script", "iframe", "object", "image", "use", "foreignobject"].includes(name)) problems.push(name);
      for (const [attribute, value] of Object.entries(attributes))
        if (/^on|src$/i.test(attribute) || (/href$/i.test(attribute) && value !== "data:,"))
          problems.push(`${name} ${attribute}=${value}`);
    },
    ontext(text) {
      if (isCss && /url\(|@import/i.test(text)) problems.push(`style ${text}`);
    },
    onclosetag(name, isImplied) {
      if (VOID.has(name)) return;
      const last = open.pop();
      if (isImplied || last !== name) problems.push(`${last} closed by ${isImplied ? "nothing" : name}`);
    },
  });
  // The parser reports the end of an empty element as implied.
  parser.end(markup.replace(/<(\w+)([^<>]*)\/>/g, "<$1$2></$1>"));
  const entity = /&(?!(?:amp|lt|gt|quot|#39);)/.exec(markup);
  if (entity !== null) problems.push(`a bare & at ${entity.index}`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are searched
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u.test(markup))
    problems.push("a character that XML forbids");
  if (/NaN|Infinity|undefined/.test(markup.replace(/<(text|title|th|td|p)[^>]*>[^<]*/g, "")))
    problems.push("a number that is none");
  return [...problems, ...open.map((name) => `${name} not closed`)];
}
