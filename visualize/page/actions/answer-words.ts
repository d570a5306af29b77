import { isAskType } from "../../../machines/message/asks.ts";
import { type AskView, openAskView } from "../../../present/asks.ts";
import type { OpenAskInfo } from "../../../wire/http/api.ts";

/** The labels of the answers to an ask, and whether a yes changes nothing. An ask of an unknown kind has a yes and a no. */
export function answerWords(
  { kind, text }: OpenAskInfo,
  errorCode: string | undefined,
): Required<Pick<AskView, "yes" | "no" | "isFinal">> {
  const view: Partial<AskView> = isAskType(kind) ? openAskView({ type: kind, text, errorCode }) : {};
  const { yes = "Yes", no = "No", isFinal = false } = view;
  return { yes, no, isFinal };
}
