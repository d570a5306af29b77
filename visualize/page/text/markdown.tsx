import { memo, type ReactNode } from "react";
import Markdown, { type Components } from "react-markdown";
import { Paragraph, Short } from "./plain.tsx";
import { printable } from "./printable.ts";

/** Longer texts, and those with more marks, are shown as plain text: parsing them takes too long. */
export const MARKDOWN_MAX_CHARS = 20_000;
export const MARKDOWN_MAX_MARKS = 500;
/** Characters of marks: emphasis, code, links, HTML, entities, headings, quotes and list items. */
const MARK = /[*_`[\]!<>&#~]|^[ \t]*(?:[-+]|\d+[.)])/gm;
/** Quotes and lists nested on one line: the parser takes seconds for some hundreds. */
const NESTED = /^[ \t]*(?:>[ \t]*|(?:[-+*]|\d{1,9}[.)])[ \t]+){16}/m;
/** The deepest nesting of lists, quotes and emphasis. */
const DEPTH_MAX = 50;

export interface SafeMarkdownProps {
  readonly text: string;
  /** It still grows: a cursor is shown at its end. */
  readonly isGrowing?: boolean;
}

/**
 * A model's text as markdown. HTML is shown as text; links show their address, and only web and mail addresses are
 * links; images are named, never loaded. Text that can't be parsed is shown as plain text.
 */
export const SafeMarkdown = memo(function SafeMarkdown({ text, isGrowing = false }: SafeMarkdownProps) {
  const marked = isReadable(text) ? markedText(printable(text)) : undefined;
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

const ELEMENTS = [
  ...["p", "h1", "h2", "h3", "h4", "h5", "h6", "em", "strong", "code", "pre", "blockquote"],
  ...["ul", "ol", "li", "hr", "br", "a", "img"],
];

/** Undefined if the text is nested too deep. */
function markedText(text: string): ReactNode | undefined {
  try {
    // Called, not rendered, so that its errors are caught here.
    return Markdown({
      children: text,
      components: COMPONENTS,
      allowedElements: ELEMENTS,
      unwrapDisallowed: true,
      rehypePlugins: [limitDepth],
      // Addresses are checked where they are shown.
      urlTransform: (url) => url,
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A tree of HTML elements. */
interface Tree {
  readonly children?: readonly Tree[];
}

const limitDepth = () => (root: Tree) => {
  const open = [{ node: root, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const depth = next.depth + 1;
    if (depth > DEPTH_MAX) throw new RangeError(`This text is nested deeper than ${DEPTH_MAX} levels.`);
    for (const node of next.node.children ?? []) open.push({ node, depth });
  }
};

const heading = (level: number) => (props: { readonly children?: ReactNode }) => (
  <p className={`text-heading text-heading-${level}`}>{props.children}</p>
);

const COMPONENTS: Components = {
  h1: heading(1),
  h2: heading(2),
  h3: heading(3),
  h4: heading(4),
  h5: heading(5),
  h6: heading(6),
  // The language of a code block is untrusted: it becomes no class.
  code: ({ children }) => <code>{children}</code>,
  a: ({ href = "", children }) => <Link href={href}>{children}</Link>,
  img: ({ src, alt = "" }) => (
    <span className="text-image">
      [image{alt !== "" && ": "}
      <Short text={alt} />, not loaded: <Short text={typeof src === "string" ? src : ""} />]
    </span>
  ),
};

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
