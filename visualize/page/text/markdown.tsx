import { createElement, Fragment, memo, type ReactNode } from "react";
import type { MarkdownElement, MarkdownNode } from "./parse-markdown.ts";
import { Paragraph, Short } from "./plain.tsx";
import { printable } from "./printable.ts";
import { type MarkdownParser, useMarkdownParser } from "./use-markdown-parser.ts";

/** Longer texts, and those with more marks, are shown as plain text: parsing them takes too long. */
export const MARKDOWN_MAX_CHARS = 20_000;
export const MARKDOWN_MAX_MARKS = 500;
/** Characters of marks: emphasis, code, links, HTML, entities, headings, quotes and list items. */
const MARK = /[*_`[\]!<>&#~]|^[ \t]*(?:[-+]|\d+[.)])/gm;
/** Quotes and lists nested on one line: the parser takes seconds for some hundreds. */
const NESTED = /^[ \t]*(?:>[ \t]*|(?:[-+*]|\d{1,9}[.)])[ \t]+){16}/m;

export interface SafeMarkdownProps {
  readonly text: string;
  /** It still grows: a cursor is shown at its end. */
  readonly isGrowing?: boolean;
}

/**
 * A model's text as markdown. HTML is shown as text; links show their address, and only web and mail addresses are
 * links; images are named, never loaded. Text that can't be parsed, and each text until the parser is loaded, is shown as
 * plain text.
 */
export const SafeMarkdown = memo(function SafeMarkdown({ text, isGrowing = false }: SafeMarkdownProps) {
  const parse = useMarkdownParser();
  const marked = parse !== undefined && isReadable(text) ? markedText(printable(text), parse) : undefined;
  return (
    <div className={`text-markdown${isGrowing ? " text-growing" : ""}`}>
      {marked ?? <Paragraph text={text} />}
    </div>
  );
});

const isReadable = (text: string): boolean =>
  text.length <= MARKDOWN_MAX_CHARS &&
  !NESTED.test(text) &&
  (text.match(MARK)?.length ?? 0) <= MARKDOWN_MAX_MARKS;

/** The shown elements without attributes. The others show their content. */
const ELEMENTS: ReadonlySet<string> = new Set([
  ...["p", "em", "strong", "code", "pre", "blockquote", "ul", "li", "hr", "br"],
]);

/** Undefined if the text is nested too deep. */
function markedText(text: string, parse: MarkdownParser): ReactNode | undefined {
  try {
    return shown(parse(text));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function shown(nodes: readonly MarkdownNode[]): ReactNode {
  const parts = nodes.map((node) => (typeof node === "string" ? node : elementOf(node)));
  return parts.length === 1 ? parts[0] : createElement(Fragment, null, ...parts);
}

/** The language of a code block is untrusted: it becomes no class. */
function elementOf({ tag, address = "", alt = "", start, children }: MarkdownElement): ReactNode {
  const [, level] = HEADING.exec(tag) ?? [];
  const content = children.length === 0 ? undefined : shown(children);
  if (level !== undefined) return <p className={`text-heading text-heading-${level}`}>{content}</p>;
  if (tag === "a") return <Link href={address}>{content}</Link>;
  if (tag === "img") return <Image alt={alt} address={address} />;
  if (tag === "ol") return <ol start={start}>{content}</ol>;
  return ELEMENTS.has(tag) ? createElement(tag, null, content) : content;
}

const HEADING = /^h([1-6])$/;

const Image = ({ alt, address }: Readonly<{ alt: string; address: string }>) => (
  <span className="text-image">
    [image{alt !== "" && ": "}
    <Short text={alt} />, not loaded: <Short text={address} />]
  </span>
);

/** A link's text and its address. */
export function Link({ href, children }: Readonly<{ href: string; children?: ReactNode }>) {
  const address = <Short text={href} maxChars={120} />;
  const link = isFollowed(href) ? (
    <a href={href} target="_blank" rel="noreferrer noopener nofollow">
      {address}
    </a>
  ) : (
    <span className="text-link-dead">{address}</span>
  );
  return (
    <span className="text-link">
      {children === href ? (
        link
      ) : (
        <>
          {children} ({link})
        </>
      )}
    </span>
  );
}

const FOLLOWED: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

const isFollowed = (href: string): boolean => URL.canParse(href) && FOLLOWED.has(new URL(href).protocol);
