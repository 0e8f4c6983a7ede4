// A receiver of webhooks with the standard library alone: verifies the bytes, stores each event once, answers, handles in order.
//
// It catches up by itself: at the start, every minute, and when an event arrives before another. INBOX is a folder: an event is the file of
// its sequence, so that one which arrives twice is stored once. The file "position" has the sequence of the last handled event. What a
// handler does must be safe to repeat, because the process may end before the position is written: here a restoration is a file of its
// partner_event_id. Sandbox and production each need an INBOX of their own, because both count their sequences from 1: the file
// "environment" names the one of the first event, and an event of the other one is answered 400; so is every event where it names both.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

const bodyBytesMax = 1 << 20

var (
	secrets   = strings.Fields(os.Getenv("SECRETS"))
	inbox     = os.Getenv("INBOX")
	challenge = regexp.MustCompile(`^[A-Za-z0-9_-]{16,128}$`)
	handling  sync.Mutex
	entering  sync.Mutex // the environment
	// feed follows no redirection, so that the key goes nowhere else.
	feed = &http.Client{Timeout: 15 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
)

var errOtherEnvironment = errors.New("each environment needs its own")

// event leaves data as it arrived: that of a kind which is added later may have members of the same names and other types.
type event struct {
	EventType   string          `json:"event_type"`
	Environment string          `json:"environment"`
	Sequence    *int64          `json:"sequence"`
	Data        json.RawMessage `json:"data"`
}

// isFromService says whether one of the secrets signed these bytes in the last five minutes.
func isFromService(header http.Header, body []byte, now time.Time) bool {
	timestamp := header.Get("X-Service-Timestamp")
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	if err != nil {
		return false
	}
	if age := now.Unix() - int64(seconds); age > 300 || age < -300 {
		return false
	}
	isRight := false
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(timestamp + "."))
		mac.Write(body)
		expected := []byte("v1=" + hex.EncodeToString(mac.Sum(nil)))
		for _, name := range []string{"X-Service-Signature", "X-Service-Signature-Next"} {
			isRight = hmac.Equal([]byte(header.Get(name)), expected) || isRight
		}
	}
	return isRight
}

// receive answers when the event is stored, and handles it afterwards.
func receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, bodyBytesMax))
	if request.Method != http.MethodPost || err != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	var arrived event
	isEvent := json.Unmarshal(body, &arrived) == nil
	// The endpoint is added before anybody knows its secret; a challenge asks for nothing but its own words.
	var asked struct {
		Challenge string `json:"challenge"`
	}
	isChallenge := isEvent && arrived.EventType == "webhook.endpoint.verification" && json.Unmarshal(arrived.Data, &asked) == nil
	if isChallenge && challenge.MatchString(asked.Challenge) {
		json.NewEncoder(response).Encode(map[string]string{"challenge": asked.Challenge})
		return
	}
	if !isFromService(request.Header, body, time.Now()) {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	// Tests and samples have no sequence: they are answered, and nothing is booked.
	if isEvent && arrived.Sequence != nil {
		err := checkEnvironment(arrived)
		if err == nil {
			err = write(fileOf(*arrived.Sequence), body)
		}
		if err != nil {
			log.Print(err)
			response.WriteHeader(statusOf(err))
			return
		}
		go handleNext(*arrived.Sequence)
	}
	response.WriteHeader(http.StatusOK)
}

// statusOf: an event that this inbox never takes is the sender's mistake; every other failure ends, and the service sends the event again.
func statusOf(err error) int {
	if errors.Is(err, errOtherEnvironment) {
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// checkEnvironment: an inbox has the events of one environment, that of the first event that it stored.
func checkEnvironment(arrived event) error {
	entering.Lock()
	defer entering.Unlock()
	path := filepath.Join(inbox, "environment")
	own, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		own, err = firstEnvironment(arrived)
		if err == nil {
			err = write(path, own)
		}
	}
	if err == nil && string(own) != arrived.Environment {
		err = fmt.Errorf("event %d is of %s, and INBOX of %s: %w", *arrived.Sequence, arrived.Environment, own, errOtherEnvironment)
	}
	return err
}

// firstEnvironment is that of the stored events, in an inbox of an earlier form of this program, or else of the one that arrived. The earlier
// form stored events of both, those of the one in place of the other's: then it is both.
func firstEnvironment(arrived event) ([]byte, error) {
	files, err := filepath.Glob(filepath.Join(inbox, "*.json"))
	if err != nil {
		return nil, err
	}
	isFound := map[string]bool{}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var stored event
		if json.Unmarshal(body, &stored) == nil {
			isFound[stored.Environment] = true
		}
	}
	if len(isFound) == 0 {
		return []byte(arrived.Environment), nil
	}
	var found []string
	for environment := range isFound {
		found = append(found, environment)
	}
	sort.Strings(found)
	return []byte(strings.Join(found, " and ")), nil
}

// handleNext handles the events that follow the position, one after the other.
func handleNext(upTo int64) {
	handling.Lock()
	defer handling.Unlock()
	for {
		isHandled, err := handleStored(upTo)
		if err != nil {
			log.Print(err)
		}
		if !isHandled {
			return
		}
	}
}

// handleStored handles the event after the position, and says whether it did. One before upTo that is missing comes from the feed.
func handleStored(upTo int64) (bool, error) {
	next, body, err := readNext()
	if errors.Is(err, os.ErrNotExist) && next < upTo {
		if err := fetchPage(next - 1); err != nil {
			log.Print(err)
		}
		next, body, err = readNext()
	}
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var stored event
	if err = json.Unmarshal(body, &stored); err == nil {
		err = handle(stored)
	}
	if err != nil {
		return false, fmt.Errorf("event %d: %w", next, err)
	}
	err = write(filepath.Join(inbox, "position"), []byte(strconv.FormatInt(next, 10)))
	return err == nil, err
}

// readNext gives the sequence and the bytes of the event after the position, or os.ErrNotExist where it is not stored.
func readNext() (int64, []byte, error) {
	last, err := position()
	if err != nil {
		return 0, nil, err
	}
	body, err := os.ReadFile(fileOf(last + 1))
	return last + 1, body, err
}

// tryAgain handles what is stored, which may have failed before, and then what the feed has beyond it: the next event may come after days.
func tryAgain() {
	upTo := int64(0)
	if os.Getenv("API_KEY") != "" {
		upTo = math.MaxInt64
	}
	handleNext(upTo)
}

// fetchPage stores the next events after a sequence, in the bytes that are delivered: what arrived while nobody listened, or is still on its
// way.
func fetchPage(after int64) error {
	address := fmt.Sprintf("%s/v1/events?after_sequence=%d&limit=500", os.Getenv("BASE_URL"), after)
	request, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	request.Header.Set("X-API-Key", os.Getenv("API_KEY"))
	response, err := feed.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var page struct {
		Events []json.RawMessage `json:"events"`
	}
	err = json.NewDecoder(response.Body).Decode(&page)
	if err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("GET /v1/events: %s %v", response.Status, err)
	}
	for _, body := range page.Events {
		var stored event
		if err := json.Unmarshal(body, &stored); err != nil || stored.Sequence == nil {
			return fmt.Errorf("the feed has no event: %v", err)
		}
		if err := checkEnvironment(stored); err != nil {
			return err
		}
		if *stored.Sequence > after+1 {
			if err := skipRemoved(after, *stored.Sequence); err != nil {
				return err
			}
		}
		if err := write(fileOf(*stored.Sequence), body); err != nil {
			return err
		}
		after = *stored.Sequence
	}
	return nil
}

// skipRemoved passes over the sequences that the feed does not have: the service removes events after 90 days, and leaves numbers out after it
// was restored from a backup.
func skipRemoved(after, first int64) error {
	last := first - 1
	files, err := filepath.Glob(filepath.Join(inbox, "*.json"))
	if err != nil {
		return err
	}
	for _, file := range files {
		sequence, err := strconv.ParseInt(strings.TrimSuffix(filepath.Base(file), ".json"), 10, 64)
		if err == nil && sequence > after && sequence <= last {
			last = sequence - 1
		}
	}
	now, err := position()
	if err != nil || last <= after || now != after {
		return err
	}
	log.Printf("There are no events from %d to %d: the service removed them after its time, or was restored and left the numbers out.", after+1, last)
	return write(filepath.Join(inbox, "position"), []byte(strconv.FormatInt(last, 10)))
}

// handle gives points back after a failure alone, once for its partner_event_id. The points are those that are recorded. Beside a wallet:
// run the same update as the job of the guide, which sets the status of contribution_intent, and give the points back only if it changed a
// row, because the job may have learned of the failure first. Give nothing back, and tell a person, where the wallet deducted others for this
// partner_event_id, or none, or where the row is confirmed.
func handle(stored event) error {
	failed, err := failureOf(stored)
	if err != nil || failed == nil {
		return err
	}
	isRestored, err := exists(restorationOf(failed))
	if err != nil || isRestored {
		return err
	}
	isRestoredAsBefore, err := exists(filepath.Join(inbox, failed.TransactionID))
	if err != nil || isRestoredAsBefore {
		return err
	}
	return restore(failed)
}

// enterRestorations stores once by partner_event_id what an earlier form of this program gave back, in a file with the transaction_id as its
// name: the stored event has both ids.
func enterRestorations() error {
	isEntered := filepath.Join(inbox, "earlier-restorations-are-entered")
	if isDone, err := exists(isEntered); err != nil || isDone {
		return err
	}
	files, err := filepath.Glob(filepath.Join(inbox, "*.json"))
	if err != nil {
		return err
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var stored event
		if json.Unmarshal(body, &stored) != nil {
			continue
		}
		failed, err := failureOf(stored)
		if err != nil || failed == nil {
			continue
		}
		if err := enterRestoration(failed); err != nil {
			return err
		}
	}
	return write(isEntered, nil)
}

func enterRestoration(failed *contribution) error {
	isRestored, err := exists(restorationOf(failed))
	if err != nil || isRestored {
		return err
	}
	isRestoredAsBefore, err := exists(filepath.Join(inbox, failed.TransactionID))
	if err != nil || !isRestoredAsBefore {
		return err
	}
	return restore(failed)
}

type contribution struct {
	PartnerEventID string `json:"partner_event_id"`
	TransactionID  string `json:"transaction_id"`
	Points         int64  `json:"points"`
}

// failureOf is the contribution whose points an event lets give back, or nil.
func failureOf(stored event) (*contribution, error) {
	var adjusted struct {
		Change string `json:"change"`
	}
	isFailure := stored.EventType == "impact.transaction.adjusted" && json.Unmarshal(stored.Data, &adjusted) == nil && adjusted.Change == "failed"
	if !isFailure {
		return nil, nil
	}
	var data struct {
		PointRestorationAuthorized bool         `json:"point_restoration_authorized"`
		Contribution               contribution `json:"contribution"`
	}
	if err := json.Unmarshal(stored.Data, &data); err != nil || !data.PointRestorationAuthorized {
		return nil, err
	}
	return &data.Contribution, nil
}

// restorationOf has the hash, because an id may be as long as no name of a file, and differ from another by its case alone.
func restorationOf(failed *contribution) string {
	return filepath.Join(inbox, fmt.Sprintf("restored-%x", sha256.Sum256([]byte(failed.PartnerEventID))))
}

func restore(failed *contribution) error {
	restored, err := json.Marshal(failed)
	if err != nil {
		return err
	}
	return write(restorationOf(failed), restored)
}

// position is the sequence of the last handled event. A new inbox begins before the first event, or after START_AFTER.
func position() (int64, error) {
	text, err := os.ReadFile(filepath.Join(inbox, "position"))
	if errors.Is(err, os.ErrNotExist) {
		sequence, _ := strconv.ParseInt(os.Getenv("START_AFTER"), 10, 64)
		return sequence, nil
	}
	if err != nil {
		return 0, err
	}
	sequence, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("position: %w", err)
	}
	return sequence, nil
}

func fileOf(sequence int64) string {
	return filepath.Join(inbox, fmt.Sprintf("%019d.json", sequence))
}

func exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// write leaves the whole file or none, on the disk when it returns.
func write(path string, bytes []byte) error {
	file, err := os.CreateTemp(inbox, "new-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if _, err := file.Write(bytes); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return err
	}
	folder, err := os.Open(inbox)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}

func main() {
	if err := os.MkdirAll(inbox, 0o700); err != nil {
		log.Fatal("INBOX must name the folder of the inbox: ", err)
	}
	if err := enterRestorations(); err != nil {
		log.Fatal(err)
	}
	seconds, err := strconv.Atoi(os.Getenv("CATCH_UP_SECONDS"))
	if err != nil || seconds < 1 {
		seconds = 60
	}
	// Beside the answers: to catch up may take long.
	go func() {
		tryAgain()
		for range time.Tick(time.Duration(seconds) * time.Second) {
			tryAgain()
		}
	}()
	server := &http.Server{Addr: "127.0.0.1:" + os.Getenv("PORT"), Handler: http.HandlerFunc(receive), ReadTimeout: 15 * time.Second}
	log.Fatal(server.ListenAndServe())
}
