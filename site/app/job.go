package app

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/singleshot-edge/singleshot/site/store"
)

// jobTime is how long an export takes.
const jobTime = 6 * time.Second

// exportLines are the sizes that an export may have.
var exportLines = [...]int64{3000, 12000, 30000}

// startJob starts an export and answers 202 with its card, or with a page that has it.
func (a *app) startJob(w http.ResponseWriter, r *http.Request) {
	job := store.Job{ID: a.ID(), Lines: exportLines[0], Started: a.Now()}
	for _, lines := range exportLines {
		if decimal(lines) == r.PostForm.Get("lines") {
			job.Lines = lines
		}
	}
	if err := a.Store.StartJob(r.Context(), job); err != nil {
		a.fail(w, r, err)
		return
	}
	lang, _ := languageOf(r)
	nameRecord(w.Header(), lang, asyncJob.path+"/"+job.ID, text{"Export {}", "エクスポート {}"}.fill(job.ID))
	a.answerJob(w, r, http.StatusAccepted, job)
}

// job answers with a job's card; for a job that nobody knows as well: that it has expired is a state, no error.
func (a *app) job(w http.ResponseWriter, r *http.Request) {
	job, err := a.Store.Job(r.Context(), r.PathValue("id"))
	if err == nil {
		job, err = a.work(r.Context(), job)
	}
	if err != nil && !errors.Is(err, store.ErrNone) {
		a.fail(w, r, err)
		return
	}
	a.answerJob(w, r, http.StatusOK, job)
}

// work runs a job whose time has come. A real application has a queue for it; here the first poll after the time
// does it, and another one that comes at the same moment finds it done.
func (a *app) work(ctx context.Context, job store.Job) (store.Job, error) {
	if job.Done || a.Now().Sub(job.Started) < jobTime {
		return job, nil
	}
	if _, err := a.Store.RunJob(ctx, job.ID, a.Now()); err != nil {
		return job, err
	}
	job.Done = true
	return job, nil
}

func (a *app) answerJob(w http.ResponseWriter, r *http.Request, status int, job store.Job) {
	if wantsFragment(r) {
		b := speak(w, r)
		b.jobCard(job, a.Now())
		answer(w, status, b)
		return
	}
	p := page{title: text{"Export", "エクスポート"}, here: asyncJob.path + "/" + job.ID}
	if job.ID != "" && !job.Done {
		p.refresh = "2;url=" + asyncJob.path + "/" + job.ID
	}
	show(w, r, status, p, func(b *buffer) {
		b.put(`<div class="narrow">
<h1>{}</h1>
`, p.title)
		b.jobCard(job, a.Now())
		b.put(`<p><a href="{}">{}</a></p>
</div>
`, asyncJob.path, text{"Back to the recipe", "レシピへ戻る"})
	})
}

// jobCard appends a job. While it runs, it reads itself again; once it is done, nothing asks any more.
func (b *buffer) jobCard(job store.Job, now time.Time) {
	if job.ID == "" {
		b.put(`<div class="hc-card job" data-hc-job data-state="expired">
<div class="hc-card__body"><p aria-live="polite">{}</p></div>
</div>
`, text{"This export is not known any more. Start again.", "このエクスポートの記録は残っていません。もう一度始めてください。"})
		return
	}
	if job.Done {
		b.put(`<div class="hc-card job" data-hc-job data-state="done" data-job="{}">
<div class="hc-card__body">
<p aria-live="polite">{}<span>{}</span></p>
<p class="actions"><a class="hc-button" data-size="sm" href="{}/{}/result" download="export.csv">{}</a></p>
<p class="job__id">{} <code>{}</code></p>
</div>
</div>
`, job.ID, tick, text{`Export ready: {} lines.`, `エクスポート完了: {} 行。`}.fill(thousands(job.Lines)), asyncJob.path, job.ID,
			text{"Download the CSV", "CSV をダウンロード"}, text{"Job", "ジョブ"}, job.ID)
		return
	}
	percent := int64(now.Sub(job.Started) * 100 / jobTime)
	percent = min(max(percent, 0), 99)
	b.put(`<div class="hc-card job" data-hc-job data-job="{}" data-hx-get="{}/{}" data-hx-trigger="every 1s" data-hx-target="this" data-hx-swap="outerHTML">
<div class="hc-card__body">
<progress class="hc-progress" value="{}" max="100" aria-label="{}"></progress>
<p aria-live="polite">{}</p>
<p class="job__id">{} <code>{}</code></p>
</div>
</div>
`, job.ID, asyncJob.path, job.ID, percent, text{"Progress of the export", "エクスポートの進み具合"},
		text{`Exporting: {} of {} lines`, `エクスポート中: {} / {} 行`}.fill(thousands(job.Lines*percent/100), thousands(job.Lines)), text{"Job", "ジョブ"}, job.ID)
}

// jobResult is what an export made.
func (a *app) jobResult(w http.ResponseWriter, r *http.Request) {
	job, err := a.Store.Job(r.Context(), r.PathValue("id"))
	if err == nil && !job.Done {
		err = store.ErrNone
	}
	if err != nil {
		a.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="export.csv"`)
	lines := []byte("line,item\r\n")
	for i := range job.Lines {
		lines = strconv.AppendInt(lines, i+1, 10)
		lines = append(lines, ',')
		lines = append(lines, items[i%int64(len(items))]...)
		lines = append(lines, '\r', '\n')
	}
	w.Write(lines) // an error means that the visitor is gone
}

// jobCount is how many jobs there are, as a part of the recipe's page.
func (a *app) jobCount(w http.ResponseWriter, r *http.Request) {
	total, err := a.Store.CountJobs(r.Context())
	if err != nil {
		a.fail(w, r, err)
		return
	}
	b := speak(w, r)
	b.jobTotal(total)
	answer(w, http.StatusOK, b)
}

func (b *buffer) jobTotal(total int64) {
	said := text{`{} jobs started`, `開始したジョブ {} 件`}
	if total == 1 {
		said.en = `{} job started`
	}
	b.put(`<p class="ledger__count" data-job-count="{}">{}</p>
`, total, said.fill(fill(english, `<strong>{}</strong>`, total)))
}
