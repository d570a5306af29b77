import { memo, type ReactNode } from "react";
import Markdown, { type Components } from "react-markdown";
import { Plain, Short } from "./plain.tsx";
import { printable } from "./unseen.ts";

/** A longer text, and one with more marks, is shown as it was written: reading them takes far longer than it is long. */
export const MARKDOWN_MAX_CHARS = 20_000;
export const MARKDOWN_MAX_MARKS = 500;
/** What may begin or end a mark: of emphasis, code, a link, HTML, an entity, a heading, a quote or an item of a list. */
const MARK = /[*_`[\]!<>&#~]|^[ \t]*(?:[-+]|\d+[.)])/gm;
/** Quotes and lists within each other on one line, as nobody writes them: the reader takes seconds for some hundreds. */
const NESTED = /^[ \t]*(?:>[ \t]*|(?:[-+*]|\d{1,9}[.)])[ \t]+){16}/m;
/** How deep lists, quotes and emphasis may be within each other. */
const DEPTH_MAX = 50;

export interface SafeMarkdownProps {
  readonly text: string;
  /** It still grows: a mark stands at its end. */
  readonly isGrowing?: boolean;
}

/**
 * Words of a model with their marks. HTML in them is text; a link shows where it leads, and leads only to the web and
 * to mail; an image is named, never loaded. What can't be read as markdown is shown as it was written.
 */
export const SafeMarkdown = memo(function SafeMarkdown({
  text,
  isGrowing = false,
}: SafeMarkdownProps): ReactNode {
  const marked = isReadable(text) ? markedText(printable(text)) : undefined;
  return (
    <div className={`text-markdown${isGrowing ? " text-growing" : ""}`}>
      {marked ?? (
        <p className="text-pre">
          <Plain text={text} />
        </p>
      )}
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

/** Nothing, where the text is nested too deep for the reader of markdown or for a page. */
function markedText(text: string): ReactNode | undefined {
  try {
    // Called, not rendered, so that what it throws is caught here.
    return Markdown({
      children: text,
      components: COMPONENTS,
      allowedElements: ELEMENTS,
      unwrapDisallowed: true,
      rehypePlugins: [refuseDepth],
      // Addresses are judged where they are shown.
      urlTransform: (url) => url,
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** What a tree of HTML is made of, as far as its depth goes. */
interface Tree {
  readonly children?: readonly Tree[];
}

const refuseDepth = () => (root: Tree) => {
  const open = [{ node: root, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const depth = next.depth + 1;
    if (depth > DEPTH_MAX) throw new RangeError(`This text is nested deeper than ${DEPTH_MAX} levels.`);
    for (const node of next.node.children ?? []) open.push({ node, depth });
  }
};

const heading =
  (level: number) =>
  ({ children }: { readonly children?: ReactNode }): ReactNode => (
    <p className={`text-heading text-heading-${level}`}>{children}</p>
  );

const COMPONENTS: Components = {
  h1: heading(1),
  h2: heading(2),
  h3: heading(3),
  h4: heading(4),
  h5: heading(5),
  h6: heading(6),
  // The name of a code's language is the model's: it becomes no class.
  code: ({ children }) => <code>{children}</code>,
  a: ({ href = "", children }) => <Link href={href}>{children}</Link>,
  img: ({ src, alt = "" }) => (
    <span className="text-image">
      [image{alt !== "" && ": "}
      <Short text={alt} />, not loaded: <Short text={typeof src === "string" ? src : ""} />]
    </span>
  ),
};

/** The words of a link and, behind them, where it leads. */
export function Link({
  href,
  children,
}: {
  readonly href: string;
  readonly children?: ReactNode;
}): ReactNode {
  const address = <Short text={href} maxChars={120} />;
  const isSame = children === href;
  return (
    <span className="text-link">
      {!isSame && children}
      {!isSame && " ("}
      {isFollowed(href) ? (
        <a href={href} target="_blank" rel="noreferrer noopener nofollow">
          {address}
        </a>
      ) : (
        <span className="text-link-dead">{address}</span>
      )}
      {!isSame && ")"}
    </span>
  );
}

const FOLLOWED: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

const isFollowed = (href: string): boolean => URL.canParse(href) && FOLLOWED.has(new URL(href).protocol);
