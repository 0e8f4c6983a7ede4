// Confirms a contribution and recovers from lost answers, with the standard library alone: go run confirm.go '<intent as JSON>'.
//
// The intent is a row that was stored in the transaction that deducted the points, before the first request. It prints a status, and the
// transaction_id or the code of an error. After "failed", and after nothing else, restore the points, once for this partner_event_id.
// With every other status they stay deducted: run "pending" and "unknown" again later, and "refused" seldom, until a person has settled
// what the code names; each with the same intent. Where the stored row has the other final status, as after a restore of the service,
// change nothing, and tell a person.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Intent is what is stored before anything is sent. Points are an int64: no digit is lost.
type Intent struct {
	PartnerEventID  string `json:"partner_event_id"`
	IdempotencyKey  string `json:"idempotency_key"`
	PartnerOrderRef string `json:"partner_order_ref"`
	Points          int64  `json:"points"`
	// CalculationID is of the estimate that the contribution is linked to; empty without one. A bad one never prevents the contribution.
	CalculationID string `json:"calculation_id,omitempty"`
}

type contribution struct {
	TransactionID   string `json:"transaction_id"`
	PartnerEventID  string `json:"partner_event_id"`
	PartnerOrderRef string `json:"partner_order_ref"`
	Status          string `json:"status"`
	Points          int64  `json:"points"`
}

type failure struct {
	Code      string `json:"code"`
	Retryable *bool  `json:"retryable"`
}

// answer has one of the two; retryAfter is 0 where the service did not say.
type answer struct {
	Contribution *contribution `json:"contribution"`
	Error        *failure      `json:"error"`
	retryAfter   time.Duration
	status       int
}

// Client calls one environment. Redirects are not followed, so that the key goes nowhere else.
type Client struct {
	BaseURL, APIKey string
	HTTP            *http.Client
}

// NewClient gives every request ten seconds; after five the service begins no commit any more.
func NewClient(baseURL, apiKey string) *Client {
	stop := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{baseURL, apiKey, &http.Client{Timeout: 10 * time.Second, CheckRedirect: stop}}
}

// Confirm sends an intent until its outcome is known; no attempt begins after within: a look-up and the request that follows it are one, as
// are a refused request and its look-up. wasSent: an earlier run may have sent it, so it is looked up first, as is everything before it is
// sent again.
func (client *Client) Confirm(intent Intent, wasSent bool, within time.Duration) (status, what string) {
	endsAt := time.Now().Add(within)
	isLookUp, pauses := wasSent, 0
	var refusal *answer
	for {
		step := client.send
		if isLookUp {
			step = client.lookUp
		}
		got := step(intent)
		if got.Contribution != nil {
			return recorded(*got.Contribution, intent)
		}
		code := got.Error.Code
		if isLookUp && code == "contribution_not_found" {
			if refusal != nil {
				return refusedAs(*refusal)
			}
			isLookUp = false
			continue
		}
		if !*got.Error.Retryable {
			if isLookUp {
				return refusedAs(got)
			}
			refusal = &got
		} else if !pause(&pauses, got.retryAfter, endsAt) {
			return "unknown", code
		}
		isLookUp = true
	}
}

// recorded: a record with other values is not this contribution, and a person has to look.
func recorded(found contribution, intent Intent) (status, what string) {
	isSame := found.PartnerEventID == intent.PartnerEventID && found.PartnerOrderRef == intent.PartnerOrderRef
	if !isSame || found.Points != intent.Points {
		return "refused", "recorded_with_other_values"
	}
	switch found.Status {
	case "confirmed", "pending", "failed":
		return found.Status, found.TransactionID
	}
	return "unknown", "unknown_status"
}

// refusedAs: only 400, 409 and 422 refuse the contribution. A wrong key, permission or address (401, 403, 404 …) says nothing about it.
func refusedAs(got answer) (status, what string) {
	switch got.status {
	case http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity:
		return "refused", got.Error.Code
	}
	return "unknown", got.Error.Code
}

// pause waits as long as Retry-After says, or longer each time. False when the time is up before that.
func pause(pauses *int, retryAfter time.Duration, endsAt time.Time) bool {
	wait := time.Minute
	if *pauses < 6 {
		wait = time.Second << *pauses
	}
	*pauses++
	if retryAfter > wait {
		wait = retryAfter
	}
	wait += time.Duration(rand.Int63n(int64(wait) / 4))
	if time.Now().Add(wait).After(endsAt) {
		return false
	}
	time.Sleep(wait)
	return true
}

func (client *Client) send(intent Intent) answer {
	fields := map[string]any{
		"partner_event_id": intent.PartnerEventID, "partner_order_ref": intent.PartnerOrderRef, "points": intent.Points,
	}
	if intent.CalculationID != "" {
		fields["calculation_id"] = intent.CalculationID
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return noAnswer()
	}
	headers := map[string]string{"Idempotency-Key": intent.IdempotencyKey, "Content-Type": "application/json"}
	return client.call(http.MethodPost, "/v1/impact-transactions", headers, bytes.NewReader(body))
}

func (client *Client) lookUp(intent Intent) answer {
	path := "/v1/impact-transactions?partner_event_id=" + url.QueryEscape(intent.PartnerEventID)
	return client.call(http.MethodGet, path, nil, nil)
}

// call: what is no answer of the service is "no_answer", and the request may have been recorded.
func (client *Client) call(method, path string, headers map[string]string, body io.Reader) answer {
	request, err := http.NewRequest(method, client.BaseURL+path, body)
	if err != nil {
		return noAnswer()
	}
	// A lost request is looked up: it is never sent again by itself.
	request.GetBody = nil
	request.Header.Set("X-API-Key", client.APIKey)
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := client.HTTP.Do(request)
	if err != nil {
		return noAnswer()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	var got answer
	if err != nil || json.Unmarshal(text, &got) != nil {
		return noAnswer()
	}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		if seconds > 86_400 {
			seconds = 86_400 // longer than any run, and no sum of it exceeds a Duration
		}
		got.retryAfter = time.Duration(seconds) * time.Second
	}
	got.status = response.StatusCode
	isSuccess := response.StatusCode < 300 && got.Contribution != nil
	isFailure := response.StatusCode >= 400 && got.Error != nil && got.Error.Code != "" && got.Error.Retryable != nil
	if !isSuccess && !isFailure {
		return noAnswer()
	}
	if isFailure {
		got.Contribution = nil
	}
	return got
}

func noAnswer() answer {
	retryable := true
	return answer{Error: &failure{Code: "no_answer", Retryable: &retryable}}
}

// readIntent refuses a member that an intent does not have: a mistyped one must not be dropped unseen.
func readIntent(text string, intent *Intent) error {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(intent)
}

func main() {
	var intent Intent
	if len(os.Args) < 2 || readIntent(os.Args[1], &intent) != nil {
		fmt.Fprintln(os.Stderr, "usage: confirm '{\"partner_event_id\": …}' [was-sent]")
		os.Exit(2)
	}
	// No header can carry another key: every request would get no answer.
	if !regexp.MustCompile(`^[!-~]+$`).MatchString(os.Getenv("API_KEY")) {
		fmt.Fprintln(os.Stderr, "API_KEY is not a key.")
		os.Exit(2)
	}
	within := time.Minute
	if seconds, err := strconv.Atoi(os.Getenv("WITHIN_SECONDS")); err == nil {
		within = time.Duration(seconds) * time.Second
	}
	client := NewClient(os.Getenv("BASE_URL"), os.Getenv("API_KEY"))
	status, what := client.Confirm(intent, len(os.Args) > 2, within)
	json.NewEncoder(os.Stdout).Encode([]string{status, what})
}
