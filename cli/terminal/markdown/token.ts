import type { MarkedToken, Token } from "marked";

const KNOWN: Readonly<Record<MarkedToken["type"], true>> = {
  blockquote: true,
  br: true,
  checkbox: true,
  code: true,
  codespan: true,
  def: true,
  del: true,
  em: true,
  escape: true,
  heading: true,
  hr: true,
  html: true,
  image: true,
  link: true,
  list: true,
  list_item: true,
  paragraph: true,
  space: true,
  strong: true,
  table: true,
  text: true,
};

/** Whether the token is one of the lexer's own, and none of an extension. */
export const isKnown = (token: Token): token is MarkedToken => Object.hasOwn(KNOWN, token.type);
