import type { ImageBlock } from "../../machines/conversation/entry.ts";
import { entriesWithImages } from "../../machines/conversation/images.ts";
import type { Failure, TaskEvent } from "../../machines/task/task.events.ts";
import { condenseFailure } from "./condensing.ts";
import type { Feature, Moment } from "./feature.ts";
import { contextReady, preparedRequest } from "./preparation.ts";
import { failureOf, sentRequest } from "./requests.ts";

/** A request has an image. The endpoint may refuse it, and also the images of a request that has none. */
export const images: Feature = {
  name: "images",
  parts: {
    images: ({ view, bounds }) => (bounds.images ? entriesWithImages(view.context.conversation) > 0 : 0),
  },
  events: (moment) => (moment.bounds.images ? imageEvents(moment) : []),
};

const REFUSED: Failure = { code: "image_refused", message: "too wide", retryable: false };
const IMAGE: ImageBlock = { type: "image", source: { type: "base64", media_type: "image/png", data: "" } };

function imageEvents(moment: Moment): TaskEvent[] {
  const { view, at } = moment;
  const { state, context } = view;
  const prepared = preparedRequest(moment);
  if (prepared !== undefined)
    return context.mentions.length > 0 ? [{ ...contextReady(moment, prepared), attached: [IMAGE] }] : [];
  if (context.request === undefined) return [];
  if (state === "streaming.condensing") return [condenseFailure(at, context.request, REFUSED)];
  const sent = sentRequest(view);
  return sent === undefined ? [] : [failureOf(at, sent, REFUSED)];
}
