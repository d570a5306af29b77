import type { ReactNode } from "react";
import * as z from "zod";
import type { ClineMessage } from "../../../../machines/message/message.ts";
import { grouped } from "../../model/format.ts";
import { Json } from "../../text/json.tsx";
import { SafeMarkdown } from "../../text/markdown.tsx";
import { Paragraph } from "../../text/plain.tsx";

const tokens = z.int().nonnegative();
const tokensSchema = z.looseObject({ prevContextTokens: tokens, newContextTokens: tokens });
const summarySchema = z.looseObject({ summary: z.string() });

/** A conversation that became shorter: by what, and its tokens before and after. */
export function ContextBody({ message }: { readonly message: ClineMessage }): ReactNode {
  const change = message.contextCondense ?? message.contextTruncation;
  const { summary } = summarySchema.safeParse(change).data ?? {};
  return (
    <>
      <Paragraph text={message.text ?? ""} />
      {summary !== undefined && <SafeMarkdown text={summary} />}
      {change !== undefined && <Tokens change={change} />}
    </>
  );
}

function Tokens({ change }: { readonly change: Readonly<Record<string, unknown>> }): ReactNode {
  const counted = tokensSchema.safeParse(change).data;
  if (counted === undefined) return <Json value={change} isBare />;
  const { prevContextTokens, newContextTokens } = counted;
  return (
    <span className="messages-badge">
      <b>{grouped(prevContextTokens)}</b> tokens, then <b>{grouped(newContextTokens)}</b>
    </span>
  );
}
