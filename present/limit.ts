import * as z from "zod/mini";
import { parseJson } from "../machines/message/json.ts";

const Limit = z.object({ count: z.number(), type: z.string(), reason: z.optional(z.string()) });

/** Format the text of an ask at a limit, `{count, type, reason?}`: `500 requests`, `a cost of $10`. */
export function formatLimit(text: string): string {
  const limit = Limit.safeParse(parseJson(text)).data;
  if (limit === undefined) return text;
  const { count, type, reason } = limit;
  const unit = count === 1 ? type.replace(/s$/, "") : type;
  const amount = type === "cost" ? `a cost of $${count}` : `${count} ${unit}`;
  return reason === undefined ? amount : `${amount}. ${reason}`;
}
