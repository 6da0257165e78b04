package core

// NoticePolicy is the Content-Security-Policy of the guard's own pages: they load nothing, and their one style is
// allowed by its digest. There is no form-action, because browsers apply it to the redirect that answers a form,
// which may go to another host. A test computes the digest.
const NoticePolicy = "default-src 'none'; style-src 'sha256-0FRC9uAd/ajuFLi9xaKFpRv9rVeq5e6LYf3fTpB/BOM='; base-uri 'none'"

// noticeStyle is the style of the guard's own pages, in the class names of the component kit. The pages are
// complete without it. Colours follow the visitor's scheme; each text has a contrast of 4.5:1 or more.
const noticeStyle = `` +
	`:root{color-scheme:light dark;--page:#fff;--text:#1f2328;--soft:#59636e;--link:#0a58b0;--tone:#a3211b}` +
	`[data-variant=warning]{--tone:#775200}` +
	`[data-variant=info]{--tone:#0a4f99}` +
	`[data-variant=success]{--tone:#17602f}` +
	`@media (prefers-color-scheme:dark){` +
	`:root{--page:#15181c;--text:#e6e8eb;--soft:#9aa4af;--link:#8cbcff;--tone:#ffaaa3}` +
	`[data-variant=warning]{--tone:#ecc35f}` +
	`[data-variant=info]{--tone:#9cc8ff}` +
	`[data-variant=success]{--tone:#8fd7a4}}` +
	`*{box-sizing:border-box}` +
	`body{margin:0;background:var(--page);color:var(--text);overflow-wrap:anywhere;` +
	`font:1rem/1.6 system-ui,"Hiragino Sans","Noto Sans JP","Yu Gothic UI",Meiryo,sans-serif}` +
	`:lang(ja){line-height:1.75;line-break:strict}` +
	`main{max-width:42rem;margin:0 auto;padding:clamp(1rem,9vh,6rem) clamp(1rem,4vw,2rem) 2rem}` +
	`.hc-alert{display:grid;gap:.875rem;padding:clamp(1.125rem,4vw,2rem);border:1px solid var(--tone);border-radius:.75rem;` +
	`border-color:color-mix(in srgb,var(--tone) 30%,var(--page));background:color-mix(in srgb,var(--tone) 6%,var(--page))}` +
	`h1{margin:0;line-height:1.35;text-wrap:balance;word-break:auto-phrase}` +
	`.hc-alert__title{color:var(--tone);font-size:clamp(1.1875rem,5.5vw,1.375rem)}` +
	`.hc-alert__body{margin:0}` +
	`bdi{font-weight:600}` +
	`.hc-alert__errors{display:flex;flex-wrap:wrap;gap:.5rem;margin:-.375rem 0 0;padding:0;list-style-type:""}` +
	`code{padding:.125rem .5rem;border:1px solid;border-color:color-mix(in srgb,var(--text) 25%,transparent);border-radius:.375rem;` +
	`font:.875rem/1.5 ui-monospace,monospace}` +
	`a{color:var(--link);text-underline-offset:.15em}` +
	`.hc-button{min-height:2.75rem;padding:.5rem 1.25rem;border:1px solid;border-radius:.5rem;background:none;color:var(--text);` +
	`font:inherit;font-weight:600;cursor:pointer}` +
	`.hc-button[data-variant=primary]{background:var(--text);color:var(--page)}` +
	`.hc-button:hover{outline:1px solid}` +
	`:focus-visible{outline:3px solid var(--link);outline-offset:2px}` +
	`.part{margin:1rem 0;color:var(--soft);font-size:.875rem;font-weight:400}`
