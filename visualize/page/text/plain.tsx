import { type ReactNode, useState } from "react";
import { grouped } from "../model/format.ts";
import { headOf, printable, shortened, type TextPart, textParts } from "./printable.ts";
import "./text.css";

/** The default length of shown text, in UTF-16 units. */
export const PLAIN_MAX_CHARS = 4_000;

export interface PlainProps {
  readonly text: string;
  /** The length that is shown at once. Default {@link PLAIN_MAX_CHARS}. */
  readonly maxChars?: number;
}

/** Plain text. Invisible characters are escaped. Of a long text the start is shown, with a button for more. */
export function Plain({ text, maxChars = PLAIN_MAX_CHARS }: PlainProps): ReactNode {
  const [shown, setShown] = useState(maxChars);
  const head = headOf(text, shown);
  const left = text.length - head.length;
  return (
    <span className="text-plain">
      {textParts(head).map(toNode)}
      {left > 0 && <More left={left} of="characters" onMore={() => setShown(shown * 4)} />}
    </span>
  );
}

/** Plain text as a paragraph; nothing if it is empty. */
export function Paragraph({ text }: { readonly text: string }): ReactNode {
  if (text === "") return null;
  return (
    <p className="text-pre">
      <Plain text={text} />
    </p>
  );
}

/** An inline name or path. A long one is shortened, with the whole as its tooltip. */
export function Short({ text, maxChars = 80 }: PlainProps): ReactNode {
  const line = shortened(text, maxChars);
  const isWhole = line === text;
  return (
    <bdi className="text-short" {...(isWhole ? {} : { title: printable(headOf(text, PLAIN_MAX_CHARS)) })}>
      {line}
    </bdi>
  );
}

/** A button that shows more of a shortened text or list. */
export function More({ left, of, onMore }: Readonly<{ left: number; of: string; onMore: () => void }>) {
  return (
    <button type="button" className="text-more" onClick={onMore}>
      … {grouped(left)} more {of}
    </button>
  );
}

function toNode({ text, isEscaped }: TextPart, index: number): ReactNode {
  if (!isEscaped) return text;
  return (
    <span key={index} className="text-escaped" title="Invisible character, escaped">
      {text}
    </span>
  );
}
