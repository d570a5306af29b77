import type { Feature } from "./feature.ts";
import { answeredRequest } from "./requests.ts";

/** A response has a block that is not interpreted: the use of a server tool. */
export const opaque: Feature = {
  name: "opaque",
  parts: {
    // The next request depends on whether a server tool may have no result.
    "last entry is opaque": ({ view: { context } }) =>
      context.conversation.at(-1)?.content.some(({ type }) => type === "opaque") ?? false,
  },
  events: (moment) => {
    const { view, bounds, at } = moment;
    const requestId = answeredRequest(moment);
    const { blocks } = view.context.turn;
    const index = blocks.length;
    const mayHave = bounds.opaque && index < bounds.blocks && blocks.at(-1)?.kind !== "opaque";
    return requestId === undefined || !mayHave
      ? []
      : [{ type: "llm.opaque", at, requestId, index, text: "server_tool_use" }];
  },
};
