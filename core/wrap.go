package core

// WrapFragment returns what stands before and after an html fragment that was the answer to htmx and is replayed
// to a full-page POST, so that the person gets a small complete page (contract §4). The fragment keeps its bytes.
// Its language is not known, which lang="" says; l is the language of the page around it. The page has a style
// but no policy of its own: the fragment may need what the origin's policy allows.
func WrapFragment(l Language) (prefix, suffix []byte) {
	w := noticeWriter{language: l}
	title := w.say(&textWrapped)
	n := Notice{Language: l}
	n.head(&w, title)
	w.raw("<h1 class=\"part\">", title, "</h1>\n<div lang=\"\">\n")
	return w.buf, []byte("\n</div>\n</main>\n</body>\n</html>\n")
}
