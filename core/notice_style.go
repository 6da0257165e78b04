package core

// NoticePolicy is the Content-Security-Policy of the guard's own pages: they load nothing, and their one style is
// allowed by its digest. There is no form-action, because browsers apply it to the redirect that answers a form,
// which may go to another host. A test computes the digest.
const NoticePolicy = "default-src 'none'; style-src 'sha256-FecS3yktp98YhIVQ5hSYrtsMFSDpslFK8NnCT3NZiX0='; base-uri 'none'"

// noticeStyle is the style of the guard's own pages. They are complete without it.
const noticeStyle = `` +
	`:root{color-scheme:light dark;--page:#f4f5f7;--card:#fff;--text:#1b1f24;--soft:#5a6370;--line:#d5d9df;--link:#0b5cad;--tone:#b3261e}` +
	`@media (prefers-color-scheme:dark){:root{--page:#14171b;--card:#1d2127;--text:#e8eaed;--soft:#a3abb6;--line:#3a414b;--link:#8ab8f5;--tone:#f28b82}}` +
	`*{box-sizing:border-box}` +
	`body{margin:0;background:var(--page);color:var(--text);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Hiragino Sans","Noto Sans JP","Yu Gothic UI",Meiryo,sans-serif;overflow-wrap:anywhere}` +
	`main{max-width:40rem;margin:0 auto;padding:clamp(1rem,8vh,6rem) 1rem 2rem}` +
	`.hc-alert{display:grid;gap:1rem;padding:1.5rem;background:var(--card);border:1px solid var(--line);border-inline-start:4px solid var(--tone);border-radius:8px}` +
	`.hc-alert__title{margin:0;font-size:1.375rem;line-height:1.35;text-wrap:balance}` +
	`.hc-alert__body{margin:0}` +
	`a{color:var(--link)}`
