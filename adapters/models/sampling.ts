/** How a model chooses its words. Sent with each request for a response; an endpoint refuses what the model does not know. */
export interface Sampling {
  /** 0 for the likeliest words, up to 1 or 2 as the model knows it. Default: the endpoint's own. */
  readonly temperature?: number | undefined;
  /** The share of the likeliest words to choose from, above 0 and at most 1. Default: the endpoint's own. */
  readonly topP?: number | undefined;
}
