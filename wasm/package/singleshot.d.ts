/** What the browser module of Singleshot offers to a page's own scripts. It works without being called. */
export interface Singleshot {
	/** The module's version. */
	readonly version: string;
	/**
	 * true once the whole module works; false where WebAssembly may not run (a Content-Security-Policy without
	 * 'wasm-unsafe-eval'): then one submit at a time and the 422 allowance work all the same.
	 */
	readonly ready: Promise<boolean>;
	/**
	 * What this tab knows of a form's key: "live" (nothing went through with it), "sent" (the page went away with a
	 * submit, and nobody told how it ended) or "spent". Rejects where ready is false.
	 */
	state(form: HTMLFormElement): Promise<"live" | "sent" | "spent">;
	/**
	 * Gives a form a fresh key from the guard and keeps what is typed: its next submit is a new entry. Returns the
	 * key. Rejects where ready is false, or where the guard gives none for the form's action.
	 */
	fresh(form: HTMLFormElement): Promise<string>;
}

export declare const singleshot: Singleshot;

declare global {
	/** The one global of the module. */
	var singleshot: Singleshot;
}
