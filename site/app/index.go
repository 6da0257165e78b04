package app

import "net/http"

func (a *app) index(w http.ResponseWriter, r *http.Request) {
	p := page{
		title:       text{"Singleshot: press twice, order once", "Singleshot: 二度押しても、注文は一件"},
		description: text{"Singleshot stands in front of any web application and lets each form it renders be submitted once. Duplicates get the first answer back.", "Singleshot は Web アプリケーションの手前に立ち、描画されたフォームを一度だけ受け付けます。重複した送信には最初の応答を返します。"},
	}
	show(w, r, http.StatusOK, p, func(b *buffer) {
		b.put(`<section class="hero">
<div>
<h1>{}</h1>
<p class="lead">{}</p>
<p class="actions hero__actions"><a class="hc-button" data-variant="primary" href="{}">{}</a> <a class="hc-button" href="{}">{}</a></p>
</div>
{}
</section>
`, text{"Press twice, order once.", "二度押しても、注文は一件。"},
			text{`Singleshot stands in front of a web application, puts one key into every form it renders, and lets each key commit once. The application needs no change, the page no JavaScript.`,
				`Singleshot は Web アプリケーションの手前に立ち、描画されるフォームごとにキーを一つ入れ、どのキーも一度だけコミットさせます。アプリケーションの変更も、ページの JavaScript も要りません。`},
			idempotencyKey.path, text{"Press it twice", "二度押してみる"}, breakIt.path, text{"Break it yourself", "壊してみる"}, scene)
		b.put(`<section aria-labelledby="branches-title">
<h2 id="branches-title" class="unseen">{}</h2>
<ul class="branches">
`, text{"What becomes of a submit", "送信されたものの行方"})
		for _, each := range [...][2]text{
			{{"First time", "初めての送信"}, {`The application runs and answers. Its answer is kept for the key.`, `アプリケーションが動いて答えます。応答はキーとともに保存されます。`}},
			{{"The same again", "同じものをもう一度"}, {`The first answer comes back, byte for byte. The application is not called.`, `最初の応答がそのまま返ります。アプリケーションは呼ばれません。`}},
			{{"Other values", "違う内容"}, {`<code>422</code> names the order that exists, and offers to send a new one.`, `<code>422</code> がすでにある注文を名指しし、新しく送る方法を示します。`}},
			{{"It failed", "失敗したとき"}, {`Nothing is spent. Correct it and press again, or just press again.`, `何も消費されません。直して、またはそのまま、もう一度押せます。`}},
		} {
			b.put(`<li><h3>{}</h3><p>{}</p></li>
`, each[0], each[1])
		}
		b.put(`</ul>
</section>
<section class="band" id="recipes" aria-labelledby="recipes-title">
<h2 id="recipes-title">{}</h2>
<ol class="cards">
`, text{"Recipes, live", "動くレシピ"})
		for _, c := range recipes {
			b.put(`<li class="hc-card"><div class="hc-card__body"><h3><a href="{}">{}</a></h3><p>{}</p></div></li>
`, c.path, c.short, c.summary)
		}
		for _, c := range [...]*recipe{&breakIt, &checklist} {
			b.put(`<li class="hc-card cards__proof"><div class="hc-card__body"><h3><a href="{}">{}</a></h3><p>{}</p></div></li>
`, c.path, c.title, c.summary)
		}
		b.put(`</ol>
</section>
<div class="how">
`)
		b.listing(listing{id: "start", title: text{"In front of your own application", "自分のアプリケーションの手前に"},
			code: "make build\ngrep -qs SINGLESHOT_SECRET= .dev.vars || \\\n  echo \"SINGLESHOT_SECRET=$(openssl rand -hex 32)\" >> .dev.vars\n" +
				"npx wrangler dev -c wrangler.toml --port 8080 \\\n  --var ORIGIN_URL:http://127.0.0.1:3000",
			after: text{`Rails, Django, Laravel, Express, Go, or anything else that renders forms. It runs on Cloudflare Workers; on your machine this is all it takes.`,
				`Rails、Django、Laravel、Express、Go など、フォームを描画するものなら何でも。Cloudflare Workers で動き、手元で試すのに必要なのはこれだけです。`}})
		b.table(text{"What people do", "使う人がすること"}, row{text{"They", "操作"}, text{"They see", "見えるもの"}}, text{},
			row{text{`double-click`, `ダブルクリック`}, text{`one order, one receipt`, `注文一件、受付一件`}},
			row{text{`press again on a slow network`, `遅い回線でもう一度押す`}, text{`the first one’s receipt, as soon as it is there`, `最初の完了を待ち、その受付`}},
			row{text{`go back and press again`, `戻ってもう一度押す`}, text{`the same receipt`, `同じ受付`}},
			row{text{`go back and change the amount`, `戻って金額を変えて押す`}, text{`a page that names the first order`, `最初の注文を名指しするページ`}})
		b.put(`</div>
`)
	})
}

// scene is the picture beside the headline: several presses arrive, one goes through.
const scene markup = `<svg class="scene" viewBox="0 0 320 160" aria-hidden="true">
<g class="scene__path"><path d="M24 44H150M24 80H150M24 116H150"/><path d="M170 80H280"/></g>
<g class="scene__again"><circle cx="52" cy="44" r="9"/><circle cx="96" cy="80" r="9"/><circle cx="72" cy="116" r="9"/></g>
<path class="scene__guard" d="M160 16V144"/>
<circle class="scene__ring" cx="160" cy="80" r="16"/>
<circle class="scene__shot" cx="160" cy="80" r="6"/>
<circle class="scene__once" cx="284" cy="80" r="14"/>
<path class="scene__check" d="M277.500 80.500l4.500 4.500 8.500-9"/>
</svg>`
