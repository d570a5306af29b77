import { type ClineMessage, isRequestOpen } from "../../machines/message/index.ts";
import { isLogEvent, type Law, topOf } from "./law.ts";

const isRequest = (message: ClineMessage | undefined): message is ClineMessage =>
  message?.say === "api_req_started";

/** L4: a request is open exactly while streaming, every attempt has its own row, a closed one stays closed. */
export const request: Law = {
  id: "L4",
  title: "a request is open exactly while streaming",
  violation({ before, after, emitted }) {
    const rows = [...after.context.log].filter(isRequest);
    const open = rows.filter(isRequestOpen);
    const streaming = topOf(after.state) === "streaming";
    if (open.length !== (streaming ? 1 : 0)) return `${open.length} requests are open in ${after.state}`;
    if (streaming && open[0]?.ts !== rows.at(-1)?.ts) return "the open request is not the newest";
    const reopened = emitted.filter(isLogEvent).some((event) => {
      if (event.type !== "message.amended") return false;
      const row = [...before.context.log].find(({ ts }) => ts === event.ts);
      return isRequest(row) && !isRequestOpen(row);
    });
    return reopened ? "a closed request was amended" : undefined;
  },
};
