import { setImmediate } from "node:timers/promises";
import { Parser } from "htmlparser2";
import { MarkdownWriter } from "./markdown-writer.ts";

/** A web page as Markdown. */
export interface MarkdownPage {
  readonly title: string;
  readonly text: string;
  /** The reason why the rest of the page is left out. */
  readonly cut?: string;
}

export interface MarkdownOptions {
  /** The URL that links are relative to. */
  readonly base: URL;
  /** Maximum length of the Markdown, in characters. */
  readonly maxChars: number;
  readonly signal: AbortSignal;
}

/** Maximum depth of elements: the parser looks for each end tag in all open ones. */
const MAX_DEPTH = 500;
/** Characters that are converted without a pause: other work goes on in between. */
const SLICE_CHARS = 32_768;
const TITLE_MAX_CHARS = 300;

/**
 * Convert a web page to Markdown, in time linear in its length. What is not text is left out: scripts, styles, frames,
 * images without a description, and emphasis.
 *
 * @throws the reason of the abort
 */
export async function htmlToMarkdown(html: string, options: MarkdownOptions): Promise<MarkdownPage> {
  const converter = new Converter(options);
  const parser = new Parser(converter, { decodeEntities: true });
  for (let at = 0; at < html.length && converter.cut === undefined; at += SLICE_CHARS) {
    parser.write(html.slice(at, at + SLICE_CHARS));
    await setImmediate(undefined, { signal: options.signal });
  }
  parser.end();
  const { title, text, cut } = converter;
  return { title, text, ...(cut !== undefined && { cut }) };
}

/** Elements without text for a reader. */
const SKIPPED: ReadonlySet<string> = new Set(
  "script style template svg canvas iframe object audio video datalist".split(" "),
);
/** Elements with a blank line before and after them. */
const PARAGRAPHS: ReadonlySet<string> = new Set(
  "p h1 h2 h3 h4 h5 h6 ul ol dl table pre blockquote figure hr article section main".split(" "),
);
/** Elements that begin a line. */
const LINES: ReadonlySet<string> = new Set(
  "div li tr dt dd br address header footer nav aside form fieldset details summary option caption".split(
    " ",
  ),
);

type Attributes = Readonly<Record<string, string>>;
/** The function that runs at the end of an element. */
type Closer = () => void;

/** Receives the events of the parser, which closes each element that it opens. */
class Converter {
  readonly #base: URL;
  readonly #writer: MarkdownWriter;
  readonly #closers: (Closer | undefined)[] = [];
  readonly #lists: { readonly isOrdered: boolean; items: number }[] = [];
  readonly #rows: { readonly start: number; cells: number; hasHeader: boolean }[] = [];
  /** Receives the text of an element in place of the page; undefined: it is the page's. */
  #capture: ((text: string) => void) | undefined;
  #endLink: Closer | undefined;
  #title = "";
  #isTooDeep = false;

  constructor({ base, maxChars }: MarkdownOptions) {
    this.#base = base;
    this.#writer = new MarkdownWriter(maxChars);
  }

  /** The reason why the rest of the page is left out. */
  get cut(): string | undefined {
    if (this.#isTooDeep) return `it is nested deeper than ${MAX_DEPTH} elements`;
    return this.#writer.isFull ? "it is too long" : undefined;
  }

  get title(): string {
    return this.#title.replaceAll(/\s+/g, " ").trim();
  }

  get text(): string {
    return this.#writer.toString();
  }

  onopentag(name: string, attributes: Attributes): void {
    this.#isTooDeep ||= this.#closers.length >= MAX_DEPTH;
    const isIgnored = this.cut !== undefined || this.#capture !== undefined;
    this.#closers.push(isIgnored ? undefined : this.#open(name, attributes));
  }

  ontext(text: string): void {
    if (this.cut !== undefined) return;
    if (this.#capture === undefined) this.#writer.text(text);
    else this.#capture(text);
  }

  onclosetag(): void {
    this.#closers.pop()?.();
  }

  #open(name: string, attributes: Attributes): Closer | undefined {
    if (SKIPPED.has(name) || attributes.hidden !== undefined) return this.#openCapture(() => {});
    const isInnerList = isList(name) && this.#lists.length > 0;
    const lines = PARAGRAPHS.has(name) && !isInnerList ? 2 : LINES.has(name) || isInnerList ? 1 : undefined;
    if (lines === undefined) return this.#openInline(name, attributes);
    this.#writer.break(lines);
    const close = this.#openBlock(name);
    return () => {
      close?.();
      this.#writer.break(lines);
    };
  }

  #openInline(name: string, attributes: Attributes): Closer | undefined {
    if (name === "title") return this.#openTitle();
    if (name === "a") return this.#openLink(attributes.href);
    if (name === "td" || name === "th") return this.#openCell(name === "th");
    if (name === "img") this.#image(attributes);
    if (name !== "code") return undefined;
    const end = this.#writer.mark("`");
    return () => end("`");
  }

  #openBlock(name: string): Closer | undefined {
    if (name === "pre") return this.#openPre();
    if (name === "tr") return this.#openRow();
    if (isList(name)) return this.#openList(name === "ol");
    if (name === "hr") this.#writer.lines("---");
    const [first, rest] = this.#prefixOf(name) ?? [];
    if (first === undefined || rest === undefined) return undefined;
    this.#writer.open(first, rest);
    return () => this.#writer.close();
  }

  #prefixOf(name: string): readonly [first: string, rest: string] | undefined {
    const level = /^h([1-6])$/.exec(name)?.[1];
    if (level !== undefined) return [`${"#".repeat(Number(level))} `, ""];
    if (name === "blockquote") return ["> ", "> "];
    if (name !== "li") return undefined;
    const list = this.#lists.at(-1) ?? { isOrdered: false, items: 0 };
    list.items += 1;
    const bullet = list.isOrdered ? `${list.items}. ` : "- ";
    return [bullet, " ".repeat(bullet.length)];
  }

  #openCapture(capture: (text: string) => void, close?: Closer): Closer {
    this.#capture = capture;
    return () => {
      this.#capture = undefined;
      close?.();
    };
  }

  #openTitle(): Closer {
    const isFirst = this.#title === "";
    return this.#openCapture((text) => {
      if (isFirst) this.#title = (this.#title + text).slice(0, TITLE_MAX_CHARS);
    });
  }

  /** Lines in a fence that is longer than those in them. */
  #openPre(): Closer {
    const parts: string[] = [];
    return this.#openCapture(
      (text) => parts.push(text),
      () => {
        const code = parts.join("").replace(/^\n/, "").trimEnd();
        const fence = fenceOf(code);
        if (code !== "") this.#writer.lines(`${fence}\n${code}\n${fence}`);
      },
    );
  }

  #openList(isOrdered: boolean): Closer {
    this.#lists.push({ isOrdered, items: 0 });
    return () => this.#lists.pop();
  }

  /** The first cells of a row may be empty: it begins with the first text. */
  #openRow(): Closer {
    const row = { start: this.#writer.length, cells: 0, hasHeader: false };
    this.#rows.push(row);
    return () => {
      this.#rows.pop();
      if (this.#writer.length === row.start) return;
      this.#writer.joinLine();
      this.#writer.break(1);
      if (row.hasHeader) this.#writer.lines(Array(row.cells).fill("---").join(" | "));
    };
  }

  #openCell(isHeader: boolean): Closer | undefined {
    const row = this.#rows.at(-1);
    if (row === undefined) return undefined;
    if (row.cells > 0) {
      if (this.#writer.length > row.start) this.#writer.joinLine();
      this.#writer.separate("|");
    }
    row.cells += 1;
    row.hasHeader ||= isHeader;
    this.#writer.hold(true);
    return () => this.#writer.hold(false);
  }

  /** A link ends at the latest where another one begins. */
  #openLink(href: string | undefined): Closer | undefined {
    this.#endLink?.();
    const url = this.#resolve(href);
    if (url === undefined) return undefined;
    const end = this.#writer.mark("[");
    const close = () => {
      if (this.#endLink !== close) return;
      end(`](${url})`);
      this.#endLink = undefined;
    };
    this.#endLink = close;
    return close;
  }

  #image({ alt = "", src }: Attributes): void {
    const url = this.#resolve(src);
    if (url !== undefined && alt.trim() !== "") this.#writer.text(`![${alt.trim()}](${url})`);
  }

  /** The absolute URL of a link; undefined for what can't be fetched. */
  #resolve(href: string | undefined): string | undefined {
    if (href === undefined || href.startsWith("#") || !URL.canParse(href, this.#base.href)) return undefined;
    const url = new URL(href, this.#base);
    return /^https?:$/.test(url.protocol) ? url.href : undefined;
  }
}

const isList = (name: string): boolean => name === "ul" || name === "ol";

function fenceOf(code: string): string {
  let longest = 2;
  for (const [ticks] of code.matchAll(/`{3,}/g)) longest = Math.max(longest, ticks.length);
  return "`".repeat(longest + 1);
}
