import { type ReactNode, useState } from "react";
import { grouped } from "../model/format.ts";
import { headOf, type Piece, piecesOf, printable, shortened } from "./unseen.ts";
import "./text.css";

/** How much of a text is shown at once, in UTF-16 units, where nothing else is said. */
export const PLAIN_MAX_CHARS = 4_000;

export interface PlainProps {
  readonly text: string;
  /** How much of it is shown at once. Default {@link PLAIN_MAX_CHARS}. */
  readonly maxChars?: number;
}

/**
 * A text as it is. Control characters and those that turn the direction of writing are shown, not obeyed. Of a long
 * one the head is shown, and a button says how much more there is.
 */
export function Plain({ text, maxChars = PLAIN_MAX_CHARS }: PlainProps): ReactNode {
  const [shown, setShown] = useState(maxChars);
  const head = headOf(text, shown);
  const left = text.length - head.length;
  return (
    <span className="text-plain">
      {piecesOf(head).map(toNode)}
      {left > 0 && <More left={left} of="characters" onMore={() => setShown(shown * 4)} />}
    </span>
  );
}

/** A name or a path in the middle of a line. A long one is shortened; its whole is its title. */
export function Short({
  text,
  maxChars = 80,
}: {
  readonly text: string;
  readonly maxChars?: number;
}): ReactNode {
  const line = shortened(text, maxChars);
  const isWhole = line === text;
  return (
    <bdi className="text-short" {...(isWhole ? {} : { title: printable(headOf(text, PLAIN_MAX_CHARS)) })}>
      {line}
    </bdi>
  );
}

/** What says that something was left out, and shows more of it. */
export function More({
  left,
  of,
  onMore,
}: {
  readonly left: number;
  readonly of: string;
  readonly onMore: () => void;
}): ReactNode {
  return (
    <button type="button" className="text-more" onClick={onMore}>
      … {grouped(left)} more {of}
    </button>
  );
}

function toNode({ text, isUnseen }: Piece, index: number): ReactNode {
  if (!isUnseen) return text;
  return (
    <span key={index} className="text-unseen" title="Not a visible character: written out here">
      {text}
    </span>
  );
}
